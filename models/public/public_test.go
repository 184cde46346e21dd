package public

import (
	"net/netip"
	"testing"
)

func TestPrivate_everyWayToWriteAnOwnAddress(t *testing.T) {
	for _, a := range []string{
		"127.0.0.1", "127.255.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "0.1.2.3",
		"224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "fe80::1", "fe80::1%eth0",
		"fc00::1", "fd12:3456::1", "ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "fec0::1", "2001:db8::1",
	} {
		if !Private(netip.MustParseAddr(a)) {
			t.Errorf("%s passes as public", a)
		}
	}
	if !Private(netip.Addr{}) {
		t.Error("no address passes as public")
	}
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "172.32.0.1", "::ffff:8.8.8.8", "2606:4700:4700::1111", "100.128.0.1"} {
		if Private(netip.MustParseAddr(a)) {
			t.Errorf("%s passes as private", a)
		}
	}
}

func FuzzControl(f *testing.F) {
	f.Add("127.0.0.1:80")
	f.Add("[::1]:80")
	f.Fuzz(func(t *testing.T, address string) {
		if Control("tcp", address, nil) != nil {
			return
		}
		if a, err := netip.ParseAddrPort(address); err != nil || a.Addr().IsLoopback() || a.Addr().IsPrivate() {
			t.Errorf("%q passes", address)
		}
	})
}
