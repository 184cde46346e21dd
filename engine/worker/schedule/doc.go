// Package schedule decides what a model works on next. Its functions are pure: they take the state
// of the turns and of the KV cache and return decisions; package runner carries them out.
//
//   - [Cache] knows which tokens the KV cache holds and which sequences share them: a radix tree
//     over token ids.
//   - [Store] knows which have been copied from there to host memory.
//   - [Fits] says whether a waiting turn gets a slot.
//   - [Share] splits one call of the model among the turns that run: a step of every stream first,
//     then pieces of prompts, which take no longer than streams are to wait ([PromptTime]) as far
//     as [Pace] has measured.
//   - [Follow] makes a turn wait while another is evaluating the prompt that both begin with.
//
// A Store gives up what was used least recently, of a conversation its end first. What no prompt
// has gone on from ages faster, the more so the less of such is used again: single questions,
// titles and helpers leave before conversations do. Six agents with memory for four find up to 3.4
// points more of their prompts so, and where all conversations go on nothing is lost
// (TestRetention_hitsByMemory). The Cache keeps to least recently used: what leaves it goes to a
// Store.
//
// Agents are told apart by their tokens alone. What their clients say of them (prompt_cache_key,
// session headers) is not asked for: a prompt finds its own conversation in the tree, and what a
// session has left behind is the least recently used soon enough. Of six agents with memory for
// four to know it would raise the share that is found by 1.6 points at most
// (TestRetention_keysOfSessionsGainLittle). Among upstreams it is the same, see package remote.
//
// A sequence is a number from 0 on that the model's memory knows too. A turn has one while it
// runs; when it ends, its sequence may be kept, so that a later turn finds its prompt there. Kept
// sequences go when cells are needed, or others are to be evaluated.
//
// # Files
//
//	cache.go                                 Cache: what the KV cache holds, and what goes
//	store.go                                 Store: what host memory and disk hold
//	plan.go                                  Fits, Share, Pace, Follow; when a client may retry
package schedule
