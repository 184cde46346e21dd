package telemetry

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"tenon/server/chat/record"
)

// measures are the histograms that OpenTelemetry's conventions name for servers of models, with
// the boundaries that they give.
type measures struct {
	duration, firstToken, perToken metric.Float64Histogram
	tokens                         metric.Int64Histogram
}

func newMeasures(m metric.Meter) (out measures, err error) {
	var errs [4]error
	out.duration, errs[0] = m.Float64Histogram("gen_ai.server.request.duration", metric.WithUnit("s"),
		metric.WithDescription("Time of a turn, from its begin to its last token."),
		metric.WithExplicitBucketBoundaries(.01, .02, .04, .08, .16, .32, .64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92))
	out.firstToken, errs[1] = m.Float64Histogram("gen_ai.server.time_to_first_token", metric.WithUnit("s"),
		metric.WithDescription("Time from a turn's begin to its first text, thinking or call."),
		metric.WithExplicitBucketBoundaries(.001, .005, .01, .02, .04, .06, .08, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10))
	out.perToken, errs[2] = m.Float64Histogram("gen_ai.server.time_per_output_token", metric.WithUnit("s"),
		metric.WithDescription("Time per token of output behind the first, of turns with one choice."),
		metric.WithExplicitBucketBoundaries(.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5))
	out.tokens, errs[3] = m.Int64Histogram("gen_ai.client.token.usage", metric.WithUnit("{token}"),
		metric.WithDescription("Tokens of a turn, of its prompt (input) and of its output."),
		metric.WithExplicitBucketBoundaries(1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864))
	return out, errors.Join(errs[:]...)
}

// turn measures a turn that has ended. Its model is one of a list, so that what clients ask for
// makes no series without end.
func (m measures) turn(ctx context.Context, operation string, o *record.Outcome) {
	of := []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", operation), attribute.String("gen_ai.provider.name", system),
		attribute.String("gen_ai.request.model", o.Model), attribute.String("gen_ai.response.model", o.Model),
	}
	with := func(more ...attribute.KeyValue) metric.MeasurementOption {
		return metric.WithAttributes(append(of[:len(of):len(of)], more...)...)
	}
	if o.Err != nil {
		m.duration.Record(ctx, o.Took.Seconds(), with(attribute.String("error.type", o.Err.Kind.String())))
		return
	}
	m.duration.Record(ctx, o.Took.Seconds(), with())
	u := o.Usage()
	m.tokens.Record(ctx, int64(u.Prompt), with(attribute.String("gen_ai.token.type", "input")))
	m.tokens.Record(ctx, int64(u.Completion), with(attribute.String("gen_ai.token.type", "output")))
	if o.FirstToken == 0 {
		return
	}
	m.firstToken.Record(ctx, o.FirstToken.Seconds(), with())
	if behind := u.Completion - 1; len(o.Finishes) == 1 && behind > 0 {
		m.perToken.Record(ctx, (o.Took-o.FirstToken).Seconds()/float64(behind), with())
	}
}
