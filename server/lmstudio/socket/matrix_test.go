package socket_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenon/server/chat"
	"tenon/server/lmstudio/socket"
	"tenon/templates"
	"tenon/tools"
)

// speaking are models that call tools in the way of a family.
type speaking struct {
	chat.Models
	family string
}

func (s speaking) Acquire(ctx context.Context, name string) (chat.Model, func(), error) {
	m, release, err := s.Models.Acquire(ctx, name)
	m.Dialect, _ = tools.Lookup(s.family)
	m.Renderer = native{}
	return m, release, err
}

// native is the built-in rendering that leaves the way of calling to the family.
type native struct{ templates.Builtin }

func (n native) Render(c templates.Conversation) (templates.Rendering, error) {
	r, err := n.Builtin.Render(c)
	r.Protocol = templates.Native
	return r, err
}

// S3-19: whatever shape a tool is declared in, and whatever family the model is of, the client
// gets the same call.
func TestPredict_everyShapeOfToolInEveryFamily(t *testing.T) {
	const schema = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
	shapes := map[string]string{
		"parameters":   `{"type":"function","function":{"name":"get_weather","description":"d","parameters":` + schema + `}}`,
		"input_schema": `{"type":"function","function":{"name":"get_weather","input_schema":` + schema + `}}`,
		"a bare name":  `{"type":"function","function":{"name":"get_weather"}}`,
	}
	families := map[string]string{
		"json":        `{"tool": "get_weather", "arguments": {"city": "Oslo"}}`,
		"hermes":      "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>",
		"qwen3-coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>",
	}
	for family, text := range families {
		for shape, declared := range shapes {
			t.Run(family+"/"+shape, func(t *testing.T) {
				s := serve(t, func(o *socket.Options) {
					o.Service = &chat.Service{Models: speaking{o.Service.(*chat.Service).Models, family}}
				}).load(t, "m")
				all := s.dial(t, "llm").open("predict", ask("[[a]]"+text+"[[/]]", setting("tools", `{"type":"toolArray","tools":[`+declared+`]}`)))
				var calls []string
				for _, f := range all {
					if f.Message.Type == "toolCallGenerationEnd" {
						r := f.Message.ToolCallRequest
						calls = append(calls, r.Name+strings.ReplaceAll(string(r.Arguments), " ", ""))
					}
				}
				if got := fmt.Sprint(calls); got != `[get_weather{"city":"Oslo"}]` || success(t, all).Message.Stats.StopReason != "toolCalls" || strings.Contains(content(all), "get_weather") {
					t.Errorf("%s, content %q", got, content(all))
				}
			})
		}
	}
}

// S3-23: sixteen calls at once, without an error.
func TestPredict_sixteenCallsAtOnce(t *testing.T) {
	s := serve(t).load(t, "m")
	c := make([]*client, 16)
	for i := range c {
		c[i] = s.dial(t, "llm")
	}
	var all sync.WaitGroup
	for i := range c {
		all.Go(func() {
			text := fmt.Sprintf(`[[n%d]]{"tool": "get_weather", "arguments": {"city": "%d"}}[[/]]`, i, i)
			frames := c[i].open("predict", ask(text, setting("tools", weather)))
			if stats := frames[len(frames)-2].Message.Stats; stats.StopReason != "toolCalls" {
				t.Errorf("%d: %+v", i, frames[len(frames)-1])
			}
		})
	}
	all.Wait()
}

// S3-23: how long a call's End comes behind the last of its text, of sixteen calls that run at
// once and of one.
func BenchmarkPredict_callEnd(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			s := serve(b).load(b, "m")
			b.ReportAllocs()
			var behind atomic.Int64
			b.ResetTimer()
			for n := range b.N {
				var all sync.WaitGroup
				for i := range clients {
					all.Go(func() {
						c := s.dial(b, "llm")
						// its work is done
						defer func() { _ = c.ws.CloseNow() }()
						c.send(`{"type":"channelCreate","endpoint":"predict","channelId":1,"creationParameter":` +
							ask(fmt.Sprintf(`[[n%dx%d]]{"tool": "get_weather", "arguments": {"city": "Oslo"}}[[/]]`, n, i), setting("tools", weather)) + "}")
						var last time.Time
						for text := ""; !strings.Contains(text, `"channelClose"`); {
							switch text = c.next(); {
							case strings.Contains(text, "ArgumentFragment"):
								last = time.Now()
							case strings.Contains(text, "toolCallGenerationEnd"):
								behind.Add(int64(time.Since(last)))
							}
						}
					})
				}
				all.Wait()
			}
			b.ReportMetric(float64(behind.Load())/float64(b.N*clients)/1e3, "µs-to-End")
		})
	}
}
