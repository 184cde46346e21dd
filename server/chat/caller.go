package chat

import "context"

type callerKey struct{}

// Caller is who asks. The zero value is everybody, where no keys are asked for.
type Caller struct {
	// tells API keys apart, and says nothing of the key itself: what is kept belongs to it
	Key  string
	Name string // of the key, for the log; two keys may have one
}

// WithCaller marks a request's context with who asks.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf is who asks.
func CallerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// CallerKey is the key of who asks, or "" without keys. Cached state is never shared between
// keys.
func CallerKey(ctx context.Context) string { return CallerOf(ctx).Key }
