package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// discoveryPorts are where LM Studio's SDKs look for a server on their own machine, if they are
// given no address.
var discoveryPorts = []int{41343, 52993, 16141, 39414, 22931}

// discover has serve answer at the first of the ports that is free, on loopback alone, until ctx
// ends. While another server is found at one of them, it stays the one that is found; this one
// takes its place when it ends.
func discover(ctx context.Context, ports []int, serve func(net.Listener)) {
	const (
		pause = 2 * time.Second // between tries, if the last one ended sooner
		// tries that wait for no pause: an owner that ends is followed at once
		burst = 5
	)
	for quick := 0; ctx.Err() == nil; quick++ {
		if quick > burst {
			await(ctx, pause)
		}
		begun := time.Now()
		listener, ended := claim(ctx, ports)
		if listener != nil {
			defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
			serve(listener)
			return
		}
		if ended(); time.Since(begun) > pause {
			quick = 0
		}
	}
}

// claim listens at the first free port. Where it meets a server before that, it returns what waits
// for its end.
func claim(ctx context.Context, ports []int) (l net.Listener, ended func()) {
	const mostTries = 8
	for _, port := range ports {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		// a port that changes hands is neither free nor answers, for a moment
		for try := range mostTries {
			if l, err := new(net.ListenConfig).Listen(ctx, "tcp", address); err == nil {
				return l, nil
			}
			ended, err := greet(ctx, address)
			if err == nil {
				return nil, ended
			}
			if silent := net.Error(nil); errors.Is(err, errStranger) || errors.As(err, &silent) && silent.Timeout() {
				break
			}
			await(ctx, time.Millisecond<<try)
		}
	}
	return nil, func() {} // strangers hold them all
}

// await waits so long, or until ctx ends.
func await(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

var errStranger = errors.New("no server for LM Studio's SDKs")

// greet asks whether a server for LM Studio's SDKs answers. ended waits for the end of that
// server: the connection to it is kept open, and breaks then, even if the server is killed.
func greet(ctx context.Context, address string) (ended func(), err error) {
	const patience = time.Second
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("greet the server at %s: %w", address, err)
	}
	release := context.AfterFunc(ctx, func() { _ = conn.Close() })
	end := func() {
		release()
		_ = conn.Close() // it was only read
	}
	r := bufio.NewReader(conn)
	if err := askGreeting(conn, r, patience); err != nil {
		end()
		return nil, fmt.Errorf("greet the server at %s: %w", address, err)
	}
	return func() {
		defer end()
		_, _ = io.Copy(io.Discard, r) // whatever ends it
	}, nil
}

// askGreeting sends the greeting of the SDKs, and reads the answer.
func askGreeting(conn net.Conn, r *bufio.Reader, patience time.Duration) error {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(conn, "GET /lmstudio-greeting HTTP/1.1\r\nHost: %s\r\n\r\n", conn.RemoteAddr()); err != nil {
		return err
	}
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	var greeting struct {
		LMStudio bool `json:"lmstudio"`
	}
	if json.NewDecoder(io.LimitReader(response.Body, 1<<10)).Decode(&greeting) != nil || !greeting.LMStudio {
		return errStranger
	}
	return conn.SetDeadline(time.Time{})
}
