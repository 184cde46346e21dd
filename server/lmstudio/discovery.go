package lmstudio

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Ports are those at which LM Studio's SDKs look for a server on their own machine, if they are
// given no address.
var Ports = []int{41343, 52993, 16141, 39414, 22931}

// Discoverable listens at the first of the ports that is free, on loopback alone. Where a server
// is found at one of them, it stays the one that is found, and nil is returned; so it is where no
// port is free.
func Discoverable(ctx context.Context, ports []int) net.Listener {
	for _, port := range ports {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if l, err := new(net.ListenConfig).Listen(ctx, "tcp", address); err == nil {
			return l
		}
		if greets(ctx, address) {
			return nil
		}
	}
	return nil
}

// greets tells whether a server that speaks to LM Studio's SDKs answers.
func greets(ctx context.Context, address string) bool {
	const patience = time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://%s/lmstudio-greeting", address), nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	var greeting struct {
		LMStudio bool `json:"lmstudio"`
	}
	return json.NewDecoder(response.Body).Decode(&greeting) == nil && greeting.LMStudio
}
