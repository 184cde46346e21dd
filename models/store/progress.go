package store

import (
	"sync"
	"time"
)

// Progress of a pull.
type Progress struct {
	File      string // its name
	Done      int64  // bytes of it
	Total     int64  // -1: the source does not say
	PerSecond float64
	Left      time.Duration // as far as can be told
	Checking  bool          // it is here, and its hash is computed
}

const (
	reportEvery = 100 * time.Millisecond
	rateOver    = 5 * time.Second // the speed is that of so long
)

// meter turns bytes into reports. Its methods may be called from any goroutine.
type meter struct {
	report func(Progress)
	every  time.Duration // between two reports

	mu    sync.Mutex // guards what follows, and is held while report runs
	now   Progress
	last  time.Time // of the latest report
	begin time.Time // of the speed's measure
	from  int64
}

// file begins another file, of which some is here.
func (m *meter) file(name string, done, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = Progress{File: name, Done: done, Total: total}
	m.begin, m.from = time.Now(), done
	m.tell()
}

// add counts bytes, which are negative where they were in vain.
func (m *meter) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Done += n
	now := time.Now()
	if now.Sub(m.last) < m.every && m.now.Done != m.now.Total {
		return
	}
	if took := now.Sub(m.begin); took > 0 {
		m.now.PerSecond = max(0, float64(m.now.Done-m.from)/took.Seconds())
		if took > rateOver {
			m.begin, m.from = now.Add(-rateOver/2), m.now.Done-int64(m.now.PerSecond*(rateOver/2).Seconds())
		}
	}
	m.now.Left = 0
	if m.now.Total > 0 && m.now.PerSecond > 0 {
		m.now.Left = time.Duration(float64(m.now.Total-m.now.Done) / m.now.PerSecond * float64(time.Second))
	}
	m.tell()
}

// checking says that the file is here.
func (m *meter) checking() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Checking, m.now.PerSecond, m.now.Left = true, 0, 0
	m.tell()
}

func (m *meter) tell() {
	m.last = time.Now()
	if m.report != nil {
		m.report(m.now)
	}
}
