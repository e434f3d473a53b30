package receiver

import (
	"container/list"
	"context"
	"sync"
	"time"
)

const (
	defaultCountMax = 100_000
	// A handler that hangs must not keep its event for ever.
	claimFor = 5 * time.Minute
)

// Claim is what a DeliveryStore knows of an event.
type Claim string

const (
	// ClaimNew makes the event the caller's, who confirms or releases it.
	ClaimNew Claim = "new"
	// ClaimDone is of an event that was handled.
	ClaimDone Claim = "done"
	// ClaimBusy is of an event that another caller handles now.
	ClaimBusy Claim = "busy"
)

// DeliveryStore remembers events by their id. Implement it on what all your processes share.
type DeliveryStore interface {
	// Claim gives one of two callers at the same time ClaimNew. Claims end, as a process may die.
	Claim(ctx context.Context, eventID string) (Claim, error)
	// Confirm says that the event was handled.
	Confirm(ctx context.Context, eventID string) error
	// Release says that it was not; the next attempt gets ClaimNew.
	Release(ctx context.Context, eventID string) error
}

// SequenceStore remembers the highest sequence of each resource.
type SequenceStore interface {
	// Advance records the sequence, unless a higher one is recorded: then it returns false. Atomic.
	Advance(ctx context.Context, resource string, sequence int64) (bool, error)
}

// MemoryDeliveryStore knows the events of this process. When it is full, those handled longest ago are forgotten.
type MemoryDeliveryStore struct {
	mutex     sync.Mutex
	claimedAt map[string]time.Time
	done      *recent[struct{}]
	now       func() time.Time
}

// NewMemoryDeliveryStore makes a store of so many handled events; 100,000 for 0.
func NewMemoryDeliveryStore(countMax int) *MemoryDeliveryStore {
	return &MemoryDeliveryStore{
		claimedAt: map[string]time.Time{},
		done:      newRecent[struct{}](countMax),
		now:       time.Now,
	}
}

// Claim never fails.
func (s *MemoryDeliveryStore) Claim(_ context.Context, eventID string) (Claim, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, isDone := s.done.get(eventID); isDone {
		return ClaimDone, nil
	}
	at, isClaimed := s.claimedAt[eventID]
	if isClaimed && s.now().Sub(at) < claimFor {
		return ClaimBusy, nil
	}
	s.claimedAt[eventID] = s.now()
	return ClaimNew, nil
}

// Confirm never fails.
func (s *MemoryDeliveryStore) Confirm(_ context.Context, eventID string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.claimedAt, eventID)
	s.done.put(eventID, struct{}{})
	return nil
}

// Release never fails.
func (s *MemoryDeliveryStore) Release(_ context.Context, eventID string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.claimedAt, eventID)
	return nil
}

// MemorySequenceStore knows the sequences of this process: when it is full, of the resources that changed last.
type MemorySequenceStore struct {
	mutex  sync.Mutex
	latest *recent[int64]
}

// NewMemorySequenceStore makes a store of so many resources; 100,000 for 0.
func NewMemorySequenceStore(countMax int) *MemorySequenceStore {
	return &MemorySequenceStore{latest: newRecent[int64](countMax)}
}

// Advance never fails.
func (s *MemorySequenceStore) Advance(_ context.Context, resource string, sequence int64) (bool, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if latest, isKnown := s.latest.get(resource); isKnown && latest > sequence {
		return false, nil
	}
	s.latest.put(resource, sequence)
	return true, nil
}

// The values that were put last, up to a number.
type recent[Value any] struct {
	countMax int
	order    *list.List
	entries  map[string]*list.Element
}

type entry[Value any] struct {
	key   string
	value Value
}

func newRecent[Value any](countMax int) *recent[Value] {
	if countMax < 1 {
		countMax = defaultCountMax
	}
	return &recent[Value]{countMax: countMax, order: list.New(), entries: map[string]*list.Element{}}
}

func (r *recent[Value]) get(key string) (Value, bool) {
	if element, isKnown := r.entries[key]; isKnown {
		return element.Value.(entry[Value]).value, true
	}
	var none Value
	return none, false
}

func (r *recent[Value]) put(key string, value Value) {
	if element, isKnown := r.entries[key]; isKnown {
		r.order.Remove(element)
	}
	r.entries[key] = r.order.PushBack(entry[Value]{key, value})
	if len(r.entries) > r.countMax {
		oldest := r.order.Front()
		r.order.Remove(oldest)
		delete(r.entries, oldest.Value.(entry[Value]).key)
	}
}
