package receiver

import (
	"runtime/debug"
	"strings"
	"sync"
)

const modulePath = "github.com/agent-herald/agent-herald/packages/receiver-go"

// Returns the name of this package, with its version if the program was built with a released one.
var userAgent = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return userAgentOf(info)
})

func userAgentOf(info *debug.BuildInfo) string {
	const name = "agent-herald-receiver-go"
	if info == nil {
		return name
	}
	for _, module := range info.Deps {
		if module.Path == modulePath && module.Replace == nil {
			return name + "/" + strings.TrimPrefix(module.Version, "v")
		}
	}
	return name
}
