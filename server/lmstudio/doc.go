// Package lmstudio is what LM Studio's two faces have in common: the models behind them and the
// figures of a prediction.
//
//   - Package socket speaks the WebSocket protocol of LM Studio's SDKs (@lmstudio/sdk, lmstudio
//     for Python).
//   - Package rest serves its REST API, v0 and v1.
//
// Both run their turns through server/chat, like every other protocol, and load, list and unload
// models through a [Fleet]. REFERENCE.md, beside this file, lists what is served and what is
// refused.
package lmstudio
