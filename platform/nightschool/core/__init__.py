"""What every other part needs: errors, ids, time, randomness, usage. Knows nothing about agents or stores."""
