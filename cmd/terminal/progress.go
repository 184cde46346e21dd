package terminal

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// Unit is what a bar counts.
type Unit int

const (
	Percent Unit = iota
	Bytes
)

// Bar shows how far long work is. Its speed and the time left are the caller's to say: only that
// one knows what was done before. Without a terminal it shows nothing.
type Bar struct {
	writer  progress.Writer // nil: nobody looks
	tracker *progress.Tracker
	done    chan struct{}
}

// Bar begins one, on the error output.
func (s *Screen) Bar(label string, unit Unit) *Bar {
	if !s.watched {
		return &Bar{}
	}
	w := progress.NewWriter()
	w.SetOutputWriter(s.Err)
	w.SetAutoStop(true) // Stop before the first picture would be missed
	w.SetUpdateFrequency(100 * time.Millisecond)
	w.SetTrackerLength(30)
	style := progress.StyleBlocks
	style.Visibility = progress.StyleVisibility{Percentage: true, Tracker: true, Value: unit == Bytes, Time: true}
	w.SetStyle(style)
	b := &Bar{writer: w, tracker: &progress.Tracker{Message: label, AutoStopDisabled: true}, done: make(chan struct{})}
	if unit == Bytes {
		b.tracker.Units = progress.UnitsBytes
	}
	w.AppendTracker(b.tracker)
	go func() {
		w.Render()
		close(b.done)
	}()
	return b
}

// Set tells how much is done. A total of 0 is not known.
func (b *Bar) Set(done, total int64) {
	if b.writer == nil {
		return
	}
	b.tracker.UpdateTotal(total)
	b.tracker.SetValue(done)
}

// Say changes the label.
func (b *Bar) Say(format string, args ...any) {
	if b.writer != nil {
		b.tracker.UpdateMessage(fmt.Sprintf(format, args...))
	}
}

// End leaves the last state on the screen, and writes no more. It may be called more than once.
func (b *Bar) End(err error) {
	if b.writer == nil {
		return
	}
	if err != nil {
		b.tracker.MarkAsErrored()
	} else {
		b.tracker.MarkAsDone()
	}
	<-b.done
	b.writer = nil
}
