package taste

import (
	"ghostlight/engine/boards/storyboard"
)

// PlanningTools are the names of the tools that ask the model.
func PlanningTools() (names []string) {
	for _, t := range storyboard.Tools() {
		if t.Planning {
			names = append(names, t.Name)
		}
	}
	return names
}
