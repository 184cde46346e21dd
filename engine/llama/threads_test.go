package llama

import (
	"testing"
	"testing/fstest"
	"time"
)

// run decodes for a while on a machine that has free cores for so many threads.
func (g *threadGovernor) run(d time.Duration, free float64) (average float64) {
	const token = 15 * time.Millisecond
	steps := int(d / token)
	for range steps {
		average += float64(g.now) / float64(steps)
		g.record(token, time.Duration(min(float64(g.now), free)*float64(token)))
	}
	return average
}

func TestThreadGovernor_givesWayAndComesBack(t *testing.T) {
	g := newThreadGovernor(2)
	if g.run(5*time.Second, 2); g.now != 2 {
		t.Fatalf("undisturbed: %d threads, want 2", g.now)
	}
	if g.run(200*time.Millisecond, 1.26); g.now != 1 {
		t.Errorf("0.2 s beside a busy process: %d threads, want 1", g.now)
	}
	if got := g.threads(512); got != 2 {
		t.Errorf("%d threads read a prompt, want 2", got)
	}
	if average := g.run(60*time.Second, 1.26); average > 1.05 {
		t.Errorf("a minute beside a busy process: %.2f threads on average, want 1 and few trials", average)
	}
	if g.run(9*time.Second, 2); g.now != 2 {
		t.Errorf("9 s after it ended: %d threads, want 2", g.now)
	}
	if g.patience != firstPatience {
		t.Errorf("patience of %v after a trial that went well", g.patience)
	}
}

func TestThreadGovernor_manyCores(t *testing.T) {
	g := newThreadGovernor(16)
	if g.run(time.Second, 12.4); g.now != 12 {
		t.Errorf("%d threads, want the 12 that are free", g.now)
	}
	if g.run(time.Second, 0.3); g.now != 1 {
		t.Errorf("%d threads, want 1", g.now)
	}
	if g.run(20*time.Second, 16); g.now != 16 {
		t.Errorf("%d threads after the others ended, want 16", g.now)
	}
}

func TestThreadGovernor_noiseChangesNothing(t *testing.T) {
	g := newThreadGovernor(4)
	for _, free := range []float64{3.9, 3.8, 4.4, 3.95} {
		if g.run(time.Second, free); g.now != 4 {
			t.Errorf("%.2f cores: %d threads, want 4", free, g.now)
		}
	}
	g = newThreadGovernor(2)
	if g.run(time.Second, 1.65); g.now != 2 {
		t.Error("two threads that get 1.65 cores are faster than one")
	}
}

func TestGrantedThreads_quotaAndCores(t *testing.T) {
	files := func(pairs ...string) fstest.MapFS {
		m := fstest.MapFS{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		}
		return m
	}
	topology := func(cpu string) string { return "sys/devices/system/cpu/cpu" + cpu + "/topology/thread_siblings_list" }
	hyper := []string{
		"proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-3\n",
		topology("0"), "0,2\n", topology("1"), "1,3\n", topology("2"), "0,2\n", topology("3"), "1,3\n",
	}
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		want  int
	}{
		{"nothing known", files(), 4},
		{"hyper-threads", files(hyper...), 2},
		{"cgroup 2", files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "250000 100000\n"), 2},
		{"limit above", files("proc/self/cgroup", "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max", "max 100000\n", "sys/fs/cgroup/a/cpu.max", "300000 100000\n"), 3},
		{"inside a container", files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "150000 100000\n"), 1},
		{"less than one", files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "20000 100000\n"), 1},
		{"no limit", files("proc/self/cgroup", "0::/\n", "sys/fs/cgroup/cpu.max", "max 100000\n"), 4},
		{"cgroup 1", files("proc/self/cgroup", "3:cpu,cpuacct:/a\n", "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "200000\n", "sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n"), 2},
		{"cgroup 1, no limit", files("proc/self/cgroup", "3:cpu:/\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"), 4},
		{"nonsense", files("proc/self/cgroup", ":::\n\n0:", "proc/self/status", "Cpus_allowed_list:\t9-,x\n"), 4},
	} {
		if got := grantedThreads(c.files, 4); got != c.want {
			t.Errorf("%s: %d threads, want %d", c.name, got, c.want)
		}
	}
}
