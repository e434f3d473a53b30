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
	// RememberFor is how long a handled event is remembered: 30 days. Retries end within 15 days, and by default the
	// service keeps an event for 30 days, during which it can be sent again.
	RememberFor = 30 * 24 * time.Hour

	defaultCountMax = 100_000
)

// Claim is the result of claiming an event in a DeliveryStore.
type Claim string

const (
	// ClaimNew means that the event is now claimed with the caller's token.
	ClaimNew Claim = "new"
	// ClaimDone means that the event has been handled.
	ClaimDone Claim = "done"
	// ClaimBusy means that another token holds a claim that has not lapsed.
	ClaimBusy Claim = "busy"
)

// DeliveryStore remembers events by their ID. Implement it on storage that all your processes share. Each method must
// be atomic. The handler makes a random token for each attempt, so that an attempt whose claim has lapsed cannot end
// the claim of a later attempt.
type DeliveryStore interface {
	// Claim claims an event. Of two concurrent callers, exactly one gets ClaimNew.
	Claim(ctx context.Context, eventID, token string) (Claim, error)
	// Complete marks the event as handled. It does nothing while another token holds the claim.
	Complete(ctx context.Context, eventID, token string) error
	// Release gives up the claim, so that the next attempt gets ClaimNew. It does nothing unless this token holds it.
	Release(ctx context.Context, eventID, token string) error
}

// SequenceStore stores the highest handled sequence of each resource.
type SequenceStore interface {
	// Newest returns the highest handled sequence, or 0 if there is none.
	Newest(ctx context.Context, resource string) (int64, error)
	// Advance records a handled sequence unless a higher one is recorded. It must be atomic.
	Advance(ctx context.Context, resource string, sequence int64) error
}

// MemoryDeliveryStore keeps the events of this process in memory. When it is full, it forgets the oldest handled ones.
type MemoryDeliveryStore struct {
	mutex sync.Mutex
	// Both are ordered by time.
	claims *recent[claimed]
	done   *recent[time.Time]
	now    func() time.Time
}

type claimed struct {
	token string
	at    time.Time
}

// NewMemoryDeliveryStore returns a store of at most countMax handled events; 0 means 100,000. It panics if countMax is
// negative.
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

// MemorySequenceStore keeps the sequences of this process in memory. When it is full, it forgets the resources that
// changed least recently.
type MemorySequenceStore struct {
	mutex  sync.Mutex
	newest *recent[int64]
}

// NewMemorySequenceStore returns a store of at most countMax resources; 0 means 100,000. It panics if countMax is
// negative.
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

// The most recently put values, up to a maximum count.
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

// Removes the oldest values, up to the first that is not over.
func (r *recent[Value]) removeWhile(isOver func(Value) bool) {
	for len(r.entries) > 0 && isOver(r.oldest().value) {
		r.remove(r.oldest().key)
	}
}

func (r *recent[Value]) oldest() entry[Value] {
	return r.order.Front().Value.(entry[Value])
}
