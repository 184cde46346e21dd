// Package public tells addresses of the public Internet from those of this machine and its
// networks. Who follows an address that a stranger gave dials with [Control]: it looks at the
// address that a name has come to mean, so that no name can mean another one later.
package public

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// ErrPrivate says that an address is not public.
var ErrPrivate = errors.New("the address is private")

// private are the networks that are not reached from everywhere, beside those that package netip
// tells apart, and those through which other networks are reached (RFC 6890, RFC 6052, RFC 3056).
var private = func() (all []netip.Prefix) {
	for _, p := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fec0::/10",
	} {
		all = append(all, netip.MustParsePrefix(p))
	}
	return all
}()

// Private tells whether an address is of this machine, of a network of its own, or of none.
func Private(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	for _, p := range private {
		if p.Contains(ip) {
			return true
		}
	}
	return !ip.IsGlobalUnicast() || ip.IsPrivate()
}

// Control is a [net.Dialer]'s: it refuses an address that is private.
func Control(_, resolved string, _ syscall.RawConn) error {
	if a, err := netip.ParseAddrPort(resolved); err != nil || Private(a.Addr()) {
		return fmt.Errorf("%s: %w", resolved, ErrPrivate)
	}
	return nil
}

// Client is for addresses that a stranger gave, or that carry somebody's keys. It uses no proxy,
// which would reach private addresses for it, and follows no redirect unless CheckRedirect is set
// to another function. It reaches private addresses only if it may.
func Client(private bool) *http.Client {
	dialer := &net.Dialer{Timeout: 30 * time.Second}
	if !private {
		dialer.Control = Control
	}
	t := &http.Transport{
		DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
		IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: 64 << 10,
	}
	return &http.Client{Transport: t, CheckRedirect: func(to *http.Request, _ []*http.Request) error {
		return fmt.Errorf("redirected to %s, which is not followed", to.URL.Redacted())
	}}
}
