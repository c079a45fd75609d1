package models_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A profile that gets another name takes its work along, and takes no other
// profile's name.
func TestRewriteProfile(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	called := func(name string) storage.Profile { return storage.Profile{Name: name, NumPredict: 300} }
	stands := func(want string) {
		t.Helper()
		list, jobs, err := s.Models.Profiles()
		enginetest.Must(t, err)
		var got []string
		for _, p := range list {
			got = append(got, p.Name)
		}
		for _, j := range jobs {
			if j.Profile != "" {
				got = append(got, string(j.Kind)+"="+j.Profile)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
	rewrite := func(before, name string) error {
		_, err := s.Models.RewriteProfile(t.Context(), before, called(name))
		return err
	}
	enginetest.Must(t, rewrite("", "quick"))
	enginetest.Must(t, s.Models.AssignProfile(models.JobRecap, "quick"))
	enginetest.Must(t, rewrite("quick", "quicker"))
	stands(fmt.Sprintf("[quicker %s=quicker]", models.JobRecap))
	enginetest.Must(t, rewrite("", "slow"))
	for _, before := range []string{"", "slow"} {
		if err := rewrite(before, "quicker"); err == nil || !strings.Contains(failure.Text(err), `profile "quicker" already exists`) {
			t.Errorf("from %q: %v", before, err)
		}
	}
	stands(fmt.Sprintf("[quicker slow %s=quicker]", models.JobRecap))
	enginetest.Must(t, rewrite("deleted meanwhile", "slower"))
	enginetest.Must(t, s.Models.DeleteProfile("quicker"))
	stands("[slow slower]")
	if err := s.Models.DeleteProfile("quicker"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
	s.Sound()
}
