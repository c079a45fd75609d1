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
	gone  chan struct{} // closed when it is over, nil for none
	end   chan struct{} // ends it
	waits int           // who wait for its end
}

// begins has a lull last for a pause from now on. It is false where it goes on, or must not begin.
func (l *lull) begins(pause time.Duration, may func() bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = time.Now().Add(pause)
	if l.gone != nil || !may() {
		return false
	}
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
	return max(0, time.Until(l.due))
}

// last returns when a lull that has begun is over. It tells whether that is because it has
// lasted for as long as one may, or because its pause has passed.
func (l *lull) last(ctx context.Context) (whole, passed bool) {
	since := time.Now()
	for {
		l.mu.Lock()
		left, end := time.Until(l.due), l.end
		if most := lullMost - time.Since(since); most <= 0 || left <= 0 || ctx.Err() != nil {
			close(l.gone)
			l.gone = nil
			passed = !l.due.IsZero()
			l.mu.Unlock()
			return most <= 0, passed
		}
		l.mu.Unlock()
		pause := time.NewTimer(min(left, lullMost-time.Since(since)))
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
