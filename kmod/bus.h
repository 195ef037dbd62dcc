/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bus: where devices come from. Each kind of device is a provider.
 */
#ifndef NDTEL_BUS_H
#define NDTEL_BUS_H

int nd_bus_init(void);
void nd_bus_exit(void);

#endif /* NDTEL_BUS_H */
