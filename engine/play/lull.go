package play

import (
	"context"
	"sync"
	"time"
)

// lull is a stretch of time in which background work is kept off. Its zero value is ready.
type lull struct {
	mu    sync.Mutex
	due   time.Time     // it is over then
	most  time.Time     // likewise, whatever comes
	gone  chan struct{} // closed when it is over, nil for none
	end   chan struct{} // ends it
	waits int           // who wait for its end
}

// begins has a lull last for a pause from now on, and for as long as may allows at most. It is
// false where it goes on, or must not begin.
func (l *lull) begins(pause time.Duration, may func() (most time.Duration, ok bool)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.due = now.Add(pause); l.gone != nil {
		return false
	}
	most, ok := may()
	if !ok {
		return false
	}
	l.most = now.Add(most)
	l.gone, l.end = make(chan struct{}), make(chan struct{}, 1)
	return true
}

// ends ends a lull soon, if there is one.
func (l *lull) ends() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.due = (time.Time{}); l.gone != nil {
		select {
		case l.end <- struct{}{}:
		default:
		}
	}
}

func (l *lull) lasts() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gone != nil
}

// left is how long a lull still lasts if nothing happens, 0 where there is none.
func (l *lull) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gone == nil {
		return 0
	}
	return max(0, min(time.Until(l.due), time.Until(l.most)))
}

// last returns when a lull that has begun is over. It tells whether its pause has passed.
func (l *lull) last(ctx context.Context) (passed bool) {
	for {
		l.mu.Lock()
		left, end := min(time.Until(l.due), time.Until(l.most)), l.end
		if left <= 0 || ctx.Err() != nil {
			close(l.gone)
			l.gone = nil
			passed = !l.due.IsZero() && time.Now().Before(l.most)
			l.mu.Unlock()
			return passed
		}
		l.mu.Unlock()
		pause := time.NewTimer(left)
		select {
		case <-pause.C:
		case <-end:
		case <-ctx.Done():
		}
		pause.Stop()
	}
}

// wait waits for the end of a lull. It tells whether there was one.
func (l *lull) wait(ctx context.Context) (waited bool, err error) {
	l.mu.Lock()
	gone := l.gone
	if gone == nil {
		l.mu.Unlock()
		return false, nil
	}
	l.waits++
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.waits--
		l.mu.Unlock()
	}()
	select {
	case <-gone:
		return true, nil
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// keepsWaiting tells whether somebody waits for the end of a lull.
func (l *lull) keepsWaiting() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waits > 0
}
