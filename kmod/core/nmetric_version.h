/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/*
 * Version history: which of many processes' versions are used most, in eight slots, least
 * frequently used out first.
 */
#ifndef NDTEL_CORE_NMETRIC_VERSION_H
#define NDTEL_CORE_NMETRIC_VERSION_H

#include "port.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NMETRIC_HISTORY_SLOTS 8

/**
 * struct nmetric_history - usage of version words
 * @word: packed versions (NDS_VERSION_*)
 * @usage: processes that reported the word; 0 = free slot; saturates
 * @forgotten: usages lost because more than eight distinct words met; saturates
 */
struct nmetric_history {
	u64 word[NMETRIC_HISTORY_SLOTS];
	u32 usage[NMETRIC_HISTORY_SLOTS];
	u32 forgotten;
};

void nmetric_history_add(struct nmetric_history *h, u64 word, u32 usage);
void nmetric_history_merge(struct nmetric_history *into, const struct nmetric_history *from);
int nmetric_history_top(const struct nmetric_history *h);

#ifdef __cplusplus
}
#endif

#endif /* NDTEL_CORE_NMETRIC_VERSION_H */
