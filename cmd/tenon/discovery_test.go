package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
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

// at is a server on one port.
func at(t *testing.T, port int, h http.Handler) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}} //nolint:gosec // of a test
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// greeter answers like a server that the SDKs find, and tells who it was that greeted.
func greeter(greeted chan<- string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(`{"lmstudio":true}`))
		if r.URL.Path == "/lmstudio-greeting" && greeted != nil {
			greeted <- r.RemoteAddr
		}
	})
}

// discovery is a server that wants to be found.
type discovery struct {
	end func() // ends it, and returns when it has
}

// found is where one of them answers, once it does.
type found struct {
	who *discovery
	at  *net.TCPAddr
}

func discovered(t *testing.T, ports []int, answers chan<- found, greeted chan<- string) *discovery {
	ctx, cancel := context.WithCancel(context.Background())
	d := &discovery{}
	var running sync.WaitGroup
	running.Go(func() {
		discover(ctx, ports, func(l net.Listener) {
			answers <- found{d, l.Addr().(*net.TCPAddr)}
			s := &http.Server{Handler: greeter(greeted)} //nolint:gosec // of a test
			_ = s.Serve(l)
			_ = s.Close()
		})
	})
	d.end = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(d.end)
	return d
}

// A server takes the first port that no stranger has, on loopback.
func TestDiscover_aStrangersPortIsPassedOver(t *testing.T) {
	ports, answers := free(t, 3), make(chan found, 1)
	at(t, ports[0], http.NotFoundHandler())
	discovered(t, ports, answers, nil)
	if f := <-answers; f.at.Port != ports[1] || !f.at.IP.IsLoopback() {
		t.Errorf("%v of %v", f.at, ports)
	}
}

// Servers on one machine do not fight, and when one ends that is found, another takes its place:
// after another program's as after ours, and each in turn.
func TestDiscover_passesOn(t *testing.T) {
	const servers = 3
	ports, answers, greeted := free(t, 3), make(chan found, servers), make(chan string, 100)
	at(t, ports[0], http.NotFoundHandler())
	end := at(t, ports[1], greeter(greeted)).Close
	for range servers {
		discovered(t, ports, answers, greeted)
	}
	for waiting := servers; waiting > 0; waiting-- {
		for range waiting {
			<-greeted // each of them has seen the one that is found
		}
		if len(answers) > 0 {
			t.Fatalf("with %d waiting, one answers beside the server that is found", waiting)
		}
		end()
		next := <-answers
		if next.at.Port != ports[1] {
			t.Errorf("with %d waiting: %v of %v", waiting, next.at, ports)
		}
		end = next.who.end
	}
}

// A server that is no longer wanted while it waits ends.
func TestDiscover_endsWhileItWaits(t *testing.T) {
	ports, answers, greeted := free(t, 1), make(chan found, 1), make(chan string, 1)
	at(t, ports[0], greeter(greeted))
	d := discovered(t, ports, answers, greeted)
	<-greeted
	d.end()
	if len(answers) > 0 {
		t.Error("it answers")
	}
}
