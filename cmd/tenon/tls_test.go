package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenon/cmd/config"
)

// certificate writes one for 127.0.0.1, signed by itself, and its key.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, pool
}

// Issue 7: TLS by certificate files.
func TestRun_servesTLSByCertificateFiles(t *testing.T) {
	cert, key, pool := certificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		served := &app{stopping: make(chan struct{}), handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })}
		done <- openDoor(listener, config.Settings{TLSCert: cert, TLSKey: key, DrainTimeout: time.Second}, served.handler).serve(ctx, served)
	}()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}}}
	resp, err := client.Get("https://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot {
		t.Error(resp.Status)
	}
	client.CloseIdleConnections()
	port := listener.Addr().(*net.TCPAddr).Port
	if _, _, err := execute(t, "health", "--host", "localhost", "--port", strconv.Itoa(port), "--ssl-cert-file", cert); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("the health of a server whose certificate names another host: %v", err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// Issue 7: the access log is text or JSON.
func TestLogger_formats(t *testing.T) {
	for format, want := range map[string]string{"text": "level=INFO msg=request status=200", "json": `"msg":"request","status":200`} {
		var b bytes.Buffer
		logger, err := newLogger(&b, config.Settings{LogLevel: "info", LogFormat: format})
		if err != nil {
			t.Fatal(err)
		}
		logger.Debug("unseen")
		logger.Info("request", "status", 200)
		if got := b.String(); !strings.Contains(got, want) || strings.Contains(got, "unseen") {
			t.Errorf("%s: %s", format, got)
		}
	}
	if _, err := newLogger(&bytes.Buffer{}, config.Settings{LogLevel: "loud", LogFormat: "text"}); err == nil {
		t.Error("the level loud is accepted")
	}
}
