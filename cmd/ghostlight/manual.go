package main

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/admin"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/plain"
)

// manSections returns the tables of both front ends, for the manual page.
func manSections() []admin.Section {
	return []admin.Section{
		{Title: "Keys", About: "The keys of the screen, and the action names for the config file. " +
			"Actions without a key are in the command palette (ctrl+p).",
			Rows: func(each func(group, name, words string)) {
				m, _ := tui.Keys(nil)
				groups, rows := []string{}, map[string][][2]string{}
				for _, b := range m.Bindings() {
					if _, ok := rows[b.Group]; !ok {
						groups = append(groups, b.Group)
					}
					rows[b.Group] = append(rows[b.Group],
						[2]string{strings.Join(b.Keys(), ", "), b.Description() + " (" + string(b.Action) + ")"})
				}
				for _, g := range groups {
					for _, r := range rows[g] {
						name := r[0]
						if name == "" {
							name = "no key"
						}
						each(g, name, r[1])
					}
				}
			}},
		{Title: "Plain mode", About: "With --plain the program runs line by line. Type messages as they are; " +
			"a line that begins with a slash is a command.", Rows: plain.EachCommand},
	}
}
