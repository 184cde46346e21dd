package config

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"tenon/engine"
	"tenon/server"
	"tenon/server/agent"
	"tenon/server/responses"
	"tenon/server/sse"
)

// numbers maps each {word} in a tag to a default or bound that another package defines.
var numbers = strings.NewReplacer(
	"{slots}", strconv.Itoa(engine.DefaultSlots),
	"{queue}", strconv.Itoa(engine.DefaultQueue),
	"{queue-timeout}", brief(engine.DefaultQueueTimeout),
	"{batch}", strconv.Itoa(engine.DefaultBatch),
	"{ubatch}", strconv.Itoa(engine.DefaultMicroBatch),
	"{ubatch-gpu}", strconv.Itoa(engine.DefaultMicroBatchGPU),
	"{max-pause}", engine.DefaultMaxPause.String(),
	"{cache-ram}", strconv.Itoa(engine.DefaultHostMemory>>20),
	"{heartbeat}", sse.DefaultEvery.String(),
	"{most-heartbeat}", sse.MaxEvery.String(),
	"{max-body}", strconv.Itoa(server.DefaultMaxBody>>20),
	"{responses-age}", brief(responses.DefaultMaxAge),
	"{responses-size}", strconv.Itoa(responses.DefaultMaxBytes>>20),
	"{agent-rounds}", strconv.Itoa(agent.DefaultLimits.Rounds),
	"{agent-time}", brief(agent.DefaultLimits.Time),
	"{agent-equal-calls}", strconv.Itoa(agent.DefaultLimits.EqualCalls),
	"{agent-call-time}", brief(agent.DefaultLimits.Call),
)

// brief writes a time without the units behind the last one that is not 0: 5m, not 5m0s.
func brief(d time.Duration) string {
	s := strings.Replace(d.String(), "m0s", "m", 1)
	return strings.Replace(s, "h0m", "h", 1)
}

// withNumbers puts the numbers of other packages into a tag.
func withNumbers(tag reflect.StructTag) reflect.StructTag {
	return reflect.StructTag(numbers.Replace(string(tag)))
}
