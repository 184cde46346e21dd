package templates

// Names of the rules, as they stand in a Heal.
const (
	ruleSimplify         = "simplify-schema"
	ruleFlatten          = "flatten-arguments"
	ruleDescribe         = "describe-tools"
	ruleGuidance         = "add-guidance"
	ruleSwitchOff        = "say-no-thinking"
	ruleVolatile         = "drop-volatile-header"
	ruleSortTools        = "sort-tools"
	ruleTidySchema       = "tidy-schema"
	ruleDropEmpty        = "drop-empty-turn"
	ruleDeveloper        = "developer-as-system"
	ruleMergeSystem      = "merge-system"
	ruleLateSystem       = "late-system-as-user"
	ruleSystemAsUser     = "system-as-user"
	ruleOrphanResult     = "orphan-result-as-user"
	ruleMisplacedCalls   = "drop-misplaced-calls"
	ruleMoveResult       = "move-result"
	ruleMergeResults     = "merge-results"
	ruleMissingResult    = "missing-result"
	ruleUnwrapArguments  = "unwrap-arguments"
	ruleRepairArguments  = "repair-arguments"
	ruleRawArguments     = "raw-arguments"
	RuleLeakedCalls      = "read-leaked-calls"
	ruleMissingName      = "missing-name"
	ruleMissingID        = "missing-id"
	ruleDuplicateID      = "duplicate-id"
	ruleMapID            = "map-id"
	ruleSplitCalls       = "split-calls"
	ruleSplitText        = "split-text-from-calls"
	ruleThinkingWithText = "join-thinking-and-text"
	ruleFold             = "fold-tools"
	ruleMergeTurns       = "merge-turns"
	ruleBridge           = "bridge-turns"
	ruleUserFirst        = "user-first"
	ruleNeedUser         = "add-user"
	rulePrefill          = "continue-last"
	ruleWriteCalls       = "write-calls"
	ruleCompleteSchema   = "complete-schema"
	ruleHideText         = "hide-text"
	ruleTemplateRaised   = "template-raised"
	ruleBuiltin          = "builtin-rendering"
)

// Rule is one way of making a conversation fit.
type Rule struct {
	Name, About string
	// nil: done together with the rule before it, or outside the list
	apply func(*healing)
}

// Rules lists every rule in the order of application.
func Rules() []Rule { return append([]Rule(nil), rules...) }

// rules in order. Each leaves alone what the probe says the template can take.
var rules = []Rule{
	{ruleSortTools, "tools stand in the order of their names", nil},
	{ruleTidySchema, "schemas are shown without what means nothing to a model", nil},
	{ruleSimplify, "schemas say less than was declared, as the model's options ask", nil},
	{ruleVolatile, "lines that a client changes with every request and that say nothing to a model are left out", dropVolatile},
	{ruleDropEmpty, "an assistant's turn without text, thinking and calls, or an empty system message, is left out", dropEmpty},
	{ruleDeveloper, "a developer's message is a system message to a template that does not know the role", developerAsSystem},
	{ruleMergeSystem, "several system messages at the beginning become one", mergeSystem},
	{ruleLateSystem, "a system message after the first turn is a user's, in its place, to a template that wants it first", lateSystemAsUser},
	{ruleMisplacedCalls, "calls in a message that is not the assistant's are left out", dropMisplacedCalls},
	{RuleLeakedCalls, "calls that stand whole in an assistant's text are calls, so that the text is not imitated", nil},
	{ruleMissingName, "a call without a name gets its result's, or one that says so", nameCalls},
	{ruleMoveResult, "results stand behind their call, in the order of the calls", orderResults},
	{ruleOrphanResult, "a result without a call is told by the user", nil},
	{ruleMergeResults, "a second result of a call is added to the first", nil},
	{ruleMissingResult, "a call that was never answered gets a result that says so", nil},
	{ruleUnwrapArguments, "arguments that were encoded as a JSON string more than once are decoded", mendArguments},
	{ruleRepairArguments, "arguments that break off are closed", nil},
	{ruleRawArguments, "arguments that are no JSON object are kept as text, as the argument \"arguments\"", nil},
	{ruleFlatten, "earlier calls are shown flattened where schemas are", flattenArguments},
	{ruleMissingID, "a call without an id gets one", completeIDs},
	{ruleDuplicateID, "the second call of the same id gets another", nil},
	{ruleDescribe, "tools are told in words to a template that shows calls but no declarations", describeTools},
	{ruleGuidance, "how to call the tools is explained, as the model's options ask", addGuidance},
	{ruleSplitCalls, "calls of one turn become turns of one call each to a template that shows only one", splitCalls},
	{ruleFold, "calls and results are told in tenon's own protocol", fold},
	{ruleSwitchOff, "that no thinking is wanted is said in the system message to a template that has no argument for it", switchOff},
	{ruleMapID, "ids are mapped to the form that the template demands", mapIDs},
	{ruleThinkingWithText, "thinking and text before a call become one to a template that takes either", joinThinking},
	{ruleSplitText, "text before a call becomes a turn of its own to a template that shows either", splitText},
	{ruleSystemAsUser, "system messages are the user's to a template that knows none", systemAsUser},
	{ruleMergeTurns, "turns of one role in a row become one where roles must alternate", mergeTurns},
	{ruleBridge, "between a result and the user's next turn stands a short answer where roles must alternate", bridgeTurns},
	{ruleNeedUser, "a conversation without a user's turn gets one where the template needs it", addUser},
	{ruleUserFirst, "a conversation that begins with the assistant gets a user's turn before it where the template needs it", userFirst},
	{rulePrefill, "an assistant's turn at the end is continued", continueLast},
	{ruleWriteCalls, "calls are written as the family writes them to a template that shows tools and results, but no calls", writeCalls},
	{ruleCompleteSchema, "the template refused; properties got the types and descriptions that they lacked", nil},
	{ruleHideText, "the template refused; it was not shown what users' and assistants' texts say", nil},
	{ruleTemplateRaised, "the template refused; the conversation was folded into the plainest one that means the same", nil},
	{ruleBuiltin, "the template refused everything; the built-in rendering took over", nil},
}
