package main

import (
	"strings"
	"testing"
)

func TestBench_measuresAloneAndTogether(t *testing.T) {
	_, at := answering(t, map[string]string{
		"GET /health": `{"status":"ok"}`, "GET /tenon/v1/models": fleetModels, "GET /v1/models/tin": `{"id":"tiny"}`,
		"POST /v1/chat/completions": `data: {"choices":[{"delta":{},"finish_reason":"length"}],"timings":{"prompt_n":100,"prompt_per_second":200,"predicted_n":64,"predicted_per_second":50}}` + "\n\n",
	})
	out, _, err := execute(t, append(at, "bench", "tin", "--depths", "100", "--streams", "3")...)
	if err != nil || !strings.Contains(out, "100\t1\t200\t50.0\t0 %\n100\t3\t200\t150.0\t\n") {
		t.Errorf("%q %v", out, err)
	}
}
