package capture

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Names of the prompt files with the order at the end of a request: the moment, a user's request,
// a shot of a storyboard.
const (
	OrderMomentFile    = "capture/order-moment"
	OrderRequestedFile = "capture/order-requested"
	OrderShotFile      = "capture/order-shot"
)

// order returns the end of a request: what to show, and the camera.
func (in Input) order(set *prompts.Set) string {
	file := OrderMomentFile
	switch {
	case in.Shot != nil:
		file = OrderShotFile
	case in.Requested != "":
		file = OrderRequestedFile
	}
	text := set.Fill(file, map[string]string{
		"user": userName(in), "request": truncateToField(or(in.Requested,
			"nothing in particular")), "shot": shotOrder(in.Shot),
		"camera": CameraOrder(in.Camera, in.Words), "view": in.viewOrder(),
	})
	var out []string
	blank := false
	for l := range strings.Lines(strings.TrimSpace(text)) { // no empty lines
		l = strings.TrimRight(l, " \n")
		if l != "" && blank && len(out) > 0 {
			out = append(out, "")
		}
		if blank = l == ""; !blank {
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

// excludedBySize says what a shot size leaves out.
var excludedBySize = map[string]string{
	"detail": "this one detail fills the picture: no room, no whole figures",
	"close":  "the face and no more, or the one thing that the order names",
}

// CameraOrder returns the camera part of an order.
func CameraOrder(c Camera, extra string) string {
	var b strings.Builder
	for _, control := range Controls() {
		p, ok := control.preset(*control.Value(&c))
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "- %s (%s): %s", control.Label, p.Key, p.Phrase)
		if more := excludedBySize[p.Key]; control.Key == "shot" && more != "" {
			b.WriteString(" (" + more + ")")
		}
		switch control.Key {
		case "lighting":
			b.WriteString(". It is the only light: no other source, no other time of day")
		case "template":
			b.WriteString(". It replaces the place of the messages")
		}
		b.WriteString("\n")
	}
	if extra = strings.TrimSpace(extra); extra != "" {
		b.WriteString("- In the user's own words: " + extra + "\n")
	}
	if b.Len() == 0 {
		return "The camera is open: choose one shot, one angle and one light, and keep to them."
	}
	return "The camera is decided. Write the whole picture for it:\n" + b.String() +
		"Describe only what this camera sees."
}

// shotOrder returns a shot as lines, for the end of a request.
func shotOrder(s *Shot) string {
	if s == nil {
		return ""
	}
	var b strings.Builder
	for _, l := range [][2]string{{"Size", s.Size}, {"Angle", s.Angle}, {"Movement", s.Movement},
		{"Subject", s.Subject}, {"What is seen", s.Action},
		{"What the shot is for", s.Purpose},
		{"Spoken meanwhile, seen only in the mouth and never written", s.Dialogue}} {
		if v := strings.TrimSpace(l[1]); v != "" {
			b.WriteString("- " + l[0] + ": " + truncateToField(v) + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Shot is a shot of a storyboard in an order.
type Shot = storage.ShotOrder

// viewOrder names who must and who must not be in the picture.
func (in Input) viewOrder() string {
	var gone []string
	for _, p := range in.people() {
		if p.Gone != "" {
			gone = append(gone, p.Name+" ("+p.Gone+")")
		}
	}
	var out []string
	if here := in.requiredPeople(Answer{}); len(here) > 0 {
		out = append(out, "In the picture: "+strings.Join(here, ", ")+".")
	}
	if len(gone) > 0 {
		out = append(out, "Not here, and not in the picture: "+strings.Join(gone, ", ")+".")
	}
	if in.Hint != "" {
		out = append(out, "The picture should show: "+truncateToField(in.Hint))
	}
	switch in.Visual {
	case "object":
		out = append(out, "The picture is of the thing itself. Show people only as far as they touch it.")
	case "atmosphere":
		out = append(out, "The picture is of the place and its mood. People are small in it, or there are none.")
	case "character":
		out = append(out, "The picture is of the people and their faces.")
	}
	return strings.Join(out, "\n")
}

// needsEverybody reports whether all speakers have to be in a picture of the moment: not in one of
// something particular, or of a close shot.
func (in Input) needsEverybody() bool {
	return !isNear(in.Camera) && in.Visual != "object" && in.Visual != "atmosphere"
}
