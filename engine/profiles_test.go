package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ghostlight/storage"
)

// A profile that gets another name takes its work along, and takes no other
// profile's name.
func TestRewriteProfile(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	called := func(name string) storage.Profile { return storage.Profile{Name: name, NumPredict: 300} }
	stands := func(want string) {
		t.Helper()
		list, jobs, err := s.Profiles()
		must(t, err)
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
		_, err := s.RewriteProfile(t.Context(), before, called(name))
		return err
	}
	must(t, rewrite("", "quick"))
	must(t, s.AssignProfile(JobRecap, "quick"))
	must(t, rewrite("quick", "quicker"))
	stands(fmt.Sprintf("[quicker %s=quicker]", JobRecap))
	must(t, rewrite("", "slow"))
	for _, before := range []string{"", "slow"} {
		if err := rewrite(before, "quicker"); err == nil || !strings.Contains(Words(err), `there is a profile "quicker" already`) {
			t.Errorf("from %q: %v", before, err)
		}
	}
	stands(fmt.Sprintf("[quicker slow %s=quicker]", JobRecap))
	must(t, rewrite("deleted meanwhile", "slower"))
	must(t, s.DeleteProfile("quicker"))
	stands("[slow slower]")
	if err := s.DeleteProfile("quicker"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("again: %v", err)
	}
	s.sound()
}
