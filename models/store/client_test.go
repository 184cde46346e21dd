package store

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"tenon/models/public"
)

// A public source must not have this machine ask its own network, by a redirect or by what its
// name means.
func TestClient_noWayIntoThePrivateNetwork(t *testing.T) {
	private := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") }))
	defer private.Close()
	resp, err := (&http.Client{Transport: publicTransport}).Get(private.URL)
	if err == nil {
		_ = resp.Body.Close()
	}
	if !errors.Is(err, public.ErrPrivate) {
		t.Error(err)
	}
	for address, want := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "192.168.0.1": true, "169.254.169.254": true, "100.64.0.1": true, "::1": true, "fd00::1": true,
		"::ffff:127.0.0.1": true, "0.0.0.0": true, "1.1.1.1": false, "2606:4700::1": false,
	} {
		u := &url.URL{Scheme: "https", Host: "[" + address + "]"}
		if got := (&Store{}).private(t.Context(), u); got != want {
			t.Errorf("%s: private %t", address, got)
		}
	}
}

func TestClient_noWayFromHTTPSToHTTP(t *testing.T) {
	s := &Store{}
	c := s.client(t.Context(), &url.URL{Scheme: "https", Host: "1.1.1.1"})
	from, _ := http.NewRequest(http.MethodGet, "https://1.1.1.1/a", nil)
	to, _ := http.NewRequest(http.MethodGet, "http://1.1.1.1/a", nil)
	if err := c.CheckRedirect(to, []*http.Request{from}); err == nil {
		t.Error("followed")
	}
}
