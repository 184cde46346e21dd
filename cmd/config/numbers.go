package config

import (
	"reflect"
	"strconv"
	"strings"

	"tenon/engine"
	"tenon/server/sse"
)

// numbers are what other packages own, by the words that stand for them in tags.
var numbers = strings.NewReplacer(
	"{slots}", strconv.Itoa(engine.DefaultSlots),
	"{queue}", strconv.Itoa(engine.DefaultQueue),
	"{queue-timeout}", strings.TrimSuffix(engine.DefaultQueueTimeout.String(), "0s"),
	"{batch}", strconv.Itoa(engine.DefaultBatch),
	"{ubatch}", strconv.Itoa(engine.DefaultMicroBatch),
	"{ubatch-gpu}", strconv.Itoa(engine.DefaultMicroBatchGPU),
	"{max-pause}", engine.DefaultMaxPause.String(),
	"{cache-ram}", strconv.Itoa(engine.DefaultHostMemory>>20),
	"{heartbeat}", sse.DefaultEvery.String(),
	"{most-heartbeat}", sse.MaxEvery.String(),
)

// withNumbers puts the numbers of other packages into a tag.
func withNumbers(tag reflect.StructTag) reflect.StructTag {
	return reflect.StructTag(numbers.Replace(string(tag)))
}
