package house

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Evening is how far the questions of the first evening were answered.
type Evening int

// The questions of the first evening.
const (
	EveningName  Evening = iota // who the user is
	EveningModel                // who plays the others
	EveningStage                // who is on stage
	EveningOver                 // they were answered, or need not be asked
)

const settingEvening = "evening"

// EveningStep is the question that comes next.
func (svc *Service) EveningStep() (step Evening) {
	if err := svc.core.Store.View(func(tx *storage.Tx) error { _, err := tx.Setting(settingEvening, &step); return err }); err != nil {
		svc.core.Log.Warn("reading a setting failed", "key", settingEvening, "err", err)
		return EveningOver
	}
	return step
}

// SetEveningStep keeps which question comes next.
func (svc *Service) SetEveningStep(step Evening) error {
	if err := svc.PutSetting(settingEvening, step); err != nil {
		return failure.Fail("first evening", err)
	}
	return nil
}
