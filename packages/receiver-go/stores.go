package receiver

import (
	"container/list"
	"context"
	"math"
	"sync"
	"time"
)

const (
	// ClaimFor is how long a claim lasts, in case its handler hangs or its process dies.
	ClaimFor = 5 * time.Minute
	// RememberFor is how long a handled event is remembered: 30 days. The retries of an event end within 15 days, and a
	// service with default settings keeps it for 30, in which it can be sent again.
	RememberFor = 30 * 24 * time.Hour

	defaultCountMax = 100_000
)

// Claim is what a DeliveryStore knows of an event.
type Claim string

const (
	// ClaimNew is of an event that is claimed with the caller's token.
	ClaimNew Claim = "new"
	// ClaimDone is of an event that was handled.
	ClaimDone Claim = "done"
	// ClaimBusy is of an event on which a claim with another token has not lapsed.
	ClaimBusy Claim = "busy"
)

// DeliveryStore remembers events by their id. Implement it on what all your processes share. Each method is atomic. The
// handler makes a random token for each attempt, so that an attempt whose claim has lapsed cannot end the claim of the
// next.
type DeliveryStore interface {
	// Claim gives one of two callers at the same time ClaimNew.
	Claim(ctx context.Context, eventID, token string) (Claim, error)
	// Complete says that the event was handled. It does nothing while a claim has another token.
	Complete(ctx context.Context, eventID, token string) error
	// Release says that it was not; the next attempt gets ClaimNew. It does nothing unless the claim has this token.
	Release(ctx context.Context, eventID, token string) error
}

// SequenceStore remembers the highest sequence of each resource.
type SequenceStore interface {
	// Newest returns the highest sequence that was handled; 0 if there is none.
	Newest(ctx context.Context, resource string) (int64, error)
	// Advance records a sequence that was handled, unless a higher one is recorded. Atomic.
	Advance(ctx context.Context, resource string, sequence int64) error
}

// MemoryDeliveryStore knows the events of this process. When it is full, those handled longest ago are forgotten.
type MemoryDeliveryStore struct {
	mutex sync.Mutex
	// Both in the order of their times.
	claims *recent[claimed]
	done   *recent[time.Time]
	now    func() time.Time
}

type claimed struct {
	token string
	at    time.Time
}

// NewMemoryDeliveryStore makes a store of so many handled events; 100,000 for 0. It panics for a number below.
func NewMemoryDeliveryStore(countMax int) *MemoryDeliveryStore {
	return &MemoryDeliveryStore{
		claims: newRecent[claimed](math.MaxInt),
		done:   newRecent[time.Time](countMax),
		now:    time.Now,
	}
}

// Claim never fails.
func (s *MemoryDeliveryStore) Claim(_ context.Context, eventID, token string) (Claim, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := s.now()
	s.done.removeWhile(func(at time.Time) bool { return now.Sub(at) >= RememberFor })
	s.claims.removeWhile(func(claim claimed) bool { return now.Sub(claim.at) >= ClaimFor })
	if _, isDone := s.done.get(eventID); isDone {
		return ClaimDone, nil
	}
	if _, isClaimed := s.claims.get(eventID); isClaimed {
		return ClaimBusy, nil
	}
	s.claims.put(eventID, claimed{token, now})
	return ClaimNew, nil
}

// Complete never fails.
func (s *MemoryDeliveryStore) Complete(_ context.Context, eventID, token string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if claim, isClaimed := s.claims.get(eventID); isClaimed && claim.token != token {
		return nil
	}
	s.claims.remove(eventID)
	s.done.put(eventID, s.now())
	return nil
}

// Release never fails.
func (s *MemoryDeliveryStore) Release(_ context.Context, eventID, token string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if claim, isClaimed := s.claims.get(eventID); isClaimed && claim.token == token {
		s.claims.remove(eventID)
	}
	return nil
}

// MemorySequenceStore knows the sequences of this process: when it is full, of the resources that changed last.
type MemorySequenceStore struct {
	mutex  sync.Mutex
	newest *recent[int64]
}

// NewMemorySequenceStore makes a store of so many resources; 100,000 for 0. It panics for a number below.
func NewMemorySequenceStore(countMax int) *MemorySequenceStore {
	return &MemorySequenceStore{newest: newRecent[int64](countMax)}
}

// Newest never fails.
func (s *MemorySequenceStore) Newest(_ context.Context, resource string) (int64, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	newest, _ := s.newest.get(resource)
	return newest, nil
}

// Advance never fails.
func (s *MemorySequenceStore) Advance(_ context.Context, resource string, sequence int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if newest, _ := s.newest.get(resource); newest <= sequence {
		s.newest.put(resource, sequence)
	}
	return nil
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
	if countMax < 0 {
		panic("receiver: countMax must be a whole number from 1 on")
	}
	if countMax == 0 {
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
	r.remove(key)
	r.entries[key] = r.order.PushBack(entry[Value]{key, value})
	if len(r.entries) > r.countMax {
		r.remove(r.oldest().key)
	}
}

func (r *recent[Value]) remove(key string) {
	if element, isKnown := r.entries[key]; isKnown {
		r.order.Remove(element)
		delete(r.entries, key)
	}
}

// Removes the oldest ones, up to the first that is to stay.
func (r *recent[Value]) removeWhile(isOver func(Value) bool) {
	for len(r.entries) > 0 && isOver(r.oldest().value) {
		r.remove(r.oldest().key)
	}
}

func (r *recent[Value]) oldest() entry[Value] {
	return r.order.Front().Value.(entry[Value])
}
