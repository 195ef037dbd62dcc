// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/*
 * Version history.
 */
#include "nmetric_version.h"

static u32 add_saturating(u32 a, u32 b)
{
	u32 sum = a + b;

	return sum < a ? ~0U : sum;
}

/**
 * nmetric_history_add() - count uses of a version
 * @h: history
 * @word: packed version, not 0
 * @usage: how many processes reported it; 0 changes nothing
 *
 * A ninth distinct word takes the place of the least used one (ties: the lowest slot), whose count
 * is then forgotten.
 */
void nmetric_history_add(struct nmetric_history *h, u64 word, u32 usage)
{
	unsigned int least = 0;
	unsigned int i;

	if (!usage)
		return;
	for (i = 0; i < NMETRIC_HISTORY_SLOTS; i++) {
		if (h->word[i] == word) {
			h->usage[i] = add_saturating(h->usage[i], usage);
			return;
		}
		if (h->usage[i] < h->usage[least])
			least = i;
	}
	h->forgotten = add_saturating(h->forgotten, h->usage[least]);
	h->word[least] = word;
	h->usage[least] = usage;
}

/**
 * nmetric_history_merge() - add one history to another
 * @into: grows
 * @from: unchanged
 */
void nmetric_history_merge(struct nmetric_history *into, const struct nmetric_history *from)
{
	unsigned int i;

	for (i = 0; i < NMETRIC_HISTORY_SLOTS; i++)
		nmetric_history_add(into, from->word[i], from->usage[i]);
	into->forgotten = add_saturating(into->forgotten, from->forgotten);
}

/**
 * nmetric_history_top() - most used version
 * @h: history
 *
 * Return: its slot, the lowest one on a tie, or -1 when nothing was used.
 */
int nmetric_history_top(const struct nmetric_history *h)
{
	int top = -1;
	int i;

	for (i = 0; i < NMETRIC_HISTORY_SLOTS; i++) {
		if (h->usage[i] && (top < 0 || h->usage[i] > h->usage[top]))
			top = i;
	}
	return top;
}
