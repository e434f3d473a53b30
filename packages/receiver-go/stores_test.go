package receiver

import (
	"context"
	"strconv"
	"testing"
	"time"
)

func expectClaim(t *testing.T, store *MemoryDeliveryStore, eventID, token string, want Claim) {
	t.Helper()
	if got, err := store.Claim(context.Background(), eventID, token); got != want || err != nil {
		t.Errorf("%s is %s (%v), want %s", eventID, got, err, want)
	}
}

func complete(t *testing.T, store *MemoryDeliveryStore, eventID string) {
	t.Helper()
	if err := store.Complete(context.Background(), eventID, "a"); err != nil {
		t.Fatal(err)
	}
}

func TestAFullStoreForgetsTheOldestHandledEventsAndKeepsClaims(t *testing.T) {
	store := NewMemoryDeliveryStore(3)
	for i := range 4 {
		expectClaim(t, store, "claimed "+strconv.Itoa(i), "a", ClaimNew)
	}
	for i := range 4 {
		complete(t, store, strconv.Itoa(i))
	}
	expectClaim(t, store, "0", "a", ClaimNew)
	expectClaim(t, store, "1", "a", ClaimDone)
	expectClaim(t, store, "3", "a", ClaimDone)
	expectClaim(t, store, "claimed 0", "b", ClaimBusy)
}

func TestAStoreForgetsLapsedClaimsAndOldEventsOnItsOwn(t *testing.T) {
	now := time.Unix(0, 0)
	store := NewMemoryDeliveryStore(0)
	store.now = func() time.Time { return now }
	expectCounts := func(claims, done int) {
		t.Helper()
		if len(store.claims.entries) != claims || len(store.done.entries) != done {
			t.Errorf("got %d and %d, want %d and %d", len(store.claims.entries), len(store.done.entries), claims, done)
		}
	}
	complete(t, store, "handled")
	for i := range 3 {
		expectClaim(t, store, strconv.Itoa(i), "a", ClaimNew)
	}
	now = now.Add(ClaimFor)
	expectClaim(t, store, "other", "a", ClaimNew)
	expectCounts(1, 1)
	now = now.Add(RememberFor - ClaimFor)
	expectClaim(t, store, "another", "a", ClaimNew)
	expectCounts(1, 0)
}

func TestASequenceAdvancesAndStays(t *testing.T) {
	store := NewMemorySequenceStore(2)
	ctx := context.Background()
	expect := func(resource string, sequence, want int64) {
		t.Helper()
		if err := store.Advance(ctx, resource, sequence); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Newest(ctx, resource); got != want || err != nil {
			t.Errorf("%s %d: %v (%v), want %v", resource, sequence, got, err, want)
		}
	}
	expect("a", 2, 2)
	expect("a", 1, 2)
	expect("a", 2, 2)
	expect("a", 3, 3)
	expect("b", 1, 1)
	expect("a", 1, 3)
	// The full store forgets the resource that changed first.
	expect("c", 1, 1)
	expect("a", 1, 1)
}
