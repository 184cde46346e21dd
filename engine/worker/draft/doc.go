// Package draft guesses how a turn's output goes on, and decides how much of a guess is worth its
// place in a step. It is pure: it knows tokens and counts, but no model, no grammar and no clock.
//
//	text := draft.NewText(len(prompt) + limit)
//	text.Add(prompt...)
//	guess := text.Continue(prompt, draft.Guess{}, 15) // what came next, said before
//	n := draft.Lengths(1, 1, [][]float64{chances.Of(guess)}, cost, 15)
//
// Agents repeat what they have read: paths, identifiers, lines of a file that they edit. A guess
// is what followed the longest repeated run of tokens. It is right or wrong as the model decides:
// the runner evaluates it in the same step, and takes what the sampler chooses as well.
//
// Two things are measured all the time. [Acceptance] is how often a guess came true, by the
// length of the run behind it; it learns from guesses that were not tried, too. [Cost] is what a
// step of so many tokens takes. [Lengths] tries a token where it promises more than it costs, so
// that drafts end by themselves where they do not pay.
//
// A smaller model can guess, too. Its guesses cost time whether or not they come true, so [Model]
// decides how many it makes, by how often they did and how long its steps take ([Model.Rounds]).
// It keeps an account of what the model has cost and saved, and switches it off where it owes too
// much.
package draft
