// Package chat is the neutral turn between the wire protocols and the engine: no Gin, no wire
// types.
//
// A protocol decodes its request into a [Request] and gives it to [Service.Run] with a [Sink]; the
// service
//
//  1. acquires the model ([Models]; package loader),
//  2. plans: renders the conversation into an engine prompt, builds the output grammar, sets the
//     budget (pure); a model that does not think may be made to say first which tool it means
//     (package tools; [Teaching]),
//  3. queues a session on the engine and reads its tokens,
//  4. parses them into [Event]s and hands each to the sink,
//  5. judges calls that the mask enforces only partly before anything of them leaves (mend.go):
//     what does not validate is written anew by the engine, then the turn is tried again, then it
//     is no call. An answer that goes round in circles is ended (repetition.go).
//
// Whatever happens in a turn can be seen by a [Watcher]. Package record has one, which writes it
// down, runs it again without a model, and compares.
//
// A whole answer is collected from the same events ([Collector]), so a streamed and a whole answer
// of one generation are equal by construction. Errors are [Error]s: a kind, the field at fault,
// and a text; each protocol maps the kind to its own shape in one place.
//
// # Files
//
//	request.go, hosted.go, caller.go         what is asked, also of hosted tools, and by whom
//	event.go, collect.go                     what is answered
//	errors.go                                how a turn fails, and of which kind an engine's
//	                                         error is
//	service.go, tokenize_embed.go            running a turn; what generates nothing
//	plan.go, answer.go, limit.go             planning: an answer's schema, what an engine lacks
//	dates.go, leaked.go, flatten.go          the conversation's date, calls in its texts, flat
//	                                         schemas
//	overflow.go, truncate.go, estimate.go    prompts that are too long; how long one is, also
//	                                         where the engine does not count
//	infill.go                                filling in the middle
//	generate.go, reading.go, delta.go        tokens to events
//	miss.go                                  why no more of the prompt was cached, for the end
//	                                         of an answer
//	mend.go, repeats.go, repetition.go       calls that do not validate, calls that repeat,
//	                                         answers that go round in circles
//	suspects.go                              turns that may be why a worker died
//	watcher.go                               who sees a turn from outside, and what is shown
package chat
