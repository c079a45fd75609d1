package settings

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SetupStep is a new user's progress in answering the first questions.
type SetupStep int

// The questions for a new user.
const (
	SetupName  SetupStep = iota // who the user is
	SetupModel                  // who plays the others
	SetupCast                   // who is on stage
	SetupDone                   // they were answered, or need not be asked
)

const settingSetup = "evening" // as data files have it

// SetupStep returns the next question.
func (svc *Service) SetupStep() (step SetupStep) {
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingSetup, &step)
		return err
	}); err != nil {
		svc.core.Log.Warn("reading a setting failed", "key", settingSetup, "err", err)
		return SetupDone
	}
	return step
}

// SetSetupStep stores the next question.
func (svc *Service) SetSetupStep(step SetupStep) error {
	if err := svc.put(settingSetup, step); err != nil {
		return failure.Wrap("first questions", err)
	}
	return nil
}
