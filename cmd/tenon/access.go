package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"

	"tenon/cmd/config"
	"tenon/server"
)

// admission is who may call.
type admission struct {
	keys  []server.Key // none: everybody
	hosts []string     // accepted Host names; none: any
}

// access decides who may call, before anything listens.
//
// A public address without a key is refused unless --insecure says that it is meant. Without a key
// only names are accepted that no web page could have pointed here, so that none can reach the
// server by rebinding a name of its own.
func access(s config.Settings) (admission, error) {
	for _, o := range s.CORSOrigins {
		if !isOrigin(o) {
			return admission{}, fmt.Errorf("cors-origins %q: expected scheme://host or scheme://host:port, without a path", o)
		}
	}
	var keys []server.Key
	sent := s.APIKey
	if s.APIKeyFile != "" {
		fromFile, err := server.ReadKeys(s.APIKeyFile)
		if err != nil {
			return admission{}, err
		}
		sent = append(sent, fromFile...)
	}
	for i, k := range sent {
		key, err := server.NewKey(k, i+1)
		if err != nil {
			return admission{}, err
		}
		keys = append(keys, key)
	}
	if len(keys) > 0 {
		return admission{keys: keys}, nil
	}
	if isLoopback(s.Host) {
		return admission{hosts: server.LoopbackHosts(s.AllowedHosts)}, nil
	}
	if !s.Insecure {
		return admission{}, fmt.Errorf("%s is a public address and there is no API key: set TENON_API_KEY or --api-key-file, "+
			"or say --insecure if everybody who can reach it may use it", cmp.Or(s.Host, "an empty --host"))
	}
	if s.DebugRequests > 0 {
		return admission{}, errors.New("--debug-requests shows prompts and answers to everybody who can reach " + s.Host + ": set TENON_API_KEY or --api-key-file; --insecure is not enough for it")
	}
	return admission{hosts: server.LoopbackHosts(append(s.AllowedHosts, s.Host))}, nil
}

// isOrigin tells whether a browser could send s as the Origin of a page, or s is every origin.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return s == "*" || err == nil && u.Host != "" && s == u.Scheme+"://"+u.Host
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
