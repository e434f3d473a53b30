package receiver

import (
	"runtime/debug"
	"testing"
)

func TestTheUserAgentHasTheVersionOfAReleasedModule(t *testing.T) {
	released := &debug.Module{Path: modulePath, Version: "v1.2.3"}
	replaced := &debug.Module{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: "../receiver-go"}}
	for want, modules := range map[string][]*debug.Module{
		"agent-herald-receiver-go/1.2.3": {{Path: "example.com/other", Version: "v9.0.0"}, released},
		"agent-herald-receiver-go":       {replaced},
	} {
		if got := userAgentOf(&debug.BuildInfo{Deps: modules}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := userAgentOf(nil); got != "agent-herald-receiver-go" {
		t.Errorf("got %q", got)
	}
}
