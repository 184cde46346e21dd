package lmstudio

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"testing"
)

// free are ports that nobody listens at.
func free(t *testing.T, n int) (ports []int) {
	t.Helper()
	var all []net.Listener
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	for _, l := range all {
		_ = l.Close()
	}
	return ports
}

// Two servers on one machine do not fight: the first is found, the second is not; a stranger's
// port is passed over.
func TestDiscoverable_theFirstServerIsFound(t *testing.T) {
	ports := free(t, 3)
	stranger, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(ports[0])))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = http.Serve(stranger, http.NotFoundHandler()) }() //nolint:gosec // of a test
	defer func() { _ = stranger.Close() }()
	first := Discoverable(context.Background(), ports)
	if first == nil || first.Addr().(*net.TCPAddr).Port != ports[1] || !first.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Fatalf("%v of %v", first, ports)
	}
	go func() { //nolint:gosec // of a test
		_ = http.Serve(first, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"lmstudio":true}`)) }))
	}()
	if second := Discoverable(context.Background(), ports); second != nil {
		t.Errorf("the second server listens at %v", second.Addr())
	}
	_ = first.Close()
	if third := Discoverable(context.Background(), ports); third == nil {
		t.Error("the port is free again, and not taken")
	} else {
		_ = third.Close()
	}
}
