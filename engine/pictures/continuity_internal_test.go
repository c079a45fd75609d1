package pictures

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
)

// What a model says of somebody who is not in the picture, such as one of its example, is not kept.
func TestShownIn_OnlyOfWhoIsThere(t *testing.T) {
	t.Parallel()
	a := capture.Answer{InView: []string{"Tove Lind"}, Continuity: []capture.SeenFact{
		{Kind: "clothes", Who: "Ilse Brandt", Fact: "faded green apron"},
		{Kind: "clothes", Who: "Tove", Fact: "oilskin coat"},
		{Kind: "place", Fact: "the pier"},
	}}
	got := shownFacts(a)
	if len(got) != 2 || got[0].Who != "Tove" || got[1].Text != "the pier" {
		t.Errorf("kept: %+v", got)
	}
	if a.InView = nil; len(shownFacts(a)) != 3 {
		t.Errorf("where nobody says who is in view: %+v", shownFacts(a))
	}
}
