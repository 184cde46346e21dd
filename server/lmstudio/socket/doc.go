// Package socket speaks the WebSocket protocol of LM Studio's SDKs: one socket a namespace (llm,
// embedding, system, …), JSON in text frames.
//
// The life of a socket:
//
//  1. server.go upgrades the request, reads the first frame, which says who asks, and answers it.
//  2. conn.go reads frames (frames.go). A call is answered once (rpcResult or rpcError); a channel
//     is opened, sends packets both ways and is closed. Each runs in a goroutine of its own, by
//     the tables in endpoints.go.
//  3. outbox.go writes what they send, so that nobody who holds a slot waits for the network.
//  4. When the socket ends, so do its calls and channels: a prediction within one token.
//
// A prediction (predict.go): history.go and settings.go turn the SDK's history and its layered
// settings into a chat.Request; packets.go turns the events into packets.
//
// The SDKs check every packet against schemas of their own and drop what does not fit, after
// which the caller waits for ever. Hence: absent members are left out and never null, except
// where a comment says otherwise; integers are written as such; success is followed by the
// channel's close and by nothing else; and a failure is a channelError alone.
//
// # Files
//
//	server.go, conn.go, endpoints.go         the upgrade; a socket's life; what can be called
//	frames.go, outbox.go                     what goes over the socket, and writing it
//	predict.go, history.go, settings.go,     a prediction, and what the SDK says of it: the
//	sampling.go                              conversation, layered settings, how tokens are
//	                                         chosen
//	packets.go                               what events become
//	models.go, loading.go, repository.go     models: listed and found, loaded with settings,
//	                                         searched for and downloaded
//	logs.go                                  lms log stream
package socket
