package worker

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestRelay_writesNumbersAndDurationsAsTheyWere(t *testing.T) {
	var line, out bytes.Buffer
	slog.New(newLogHandler(&line, slog.LevelInfo)).Info("loaded", "parameters", 268098176, "took", 9138*time.Millisecond)
	r := relay{log: slog.New(slog.NewTextHandler(&out, nil))}
	r.line(bytes.TrimSpace(line.Bytes()))
	if want := "msg=loaded parameters=268098176 took=9.138s"; !strings.Contains(out.String(), want) {
		t.Errorf("%swant %s", &out, want)
	}
}
