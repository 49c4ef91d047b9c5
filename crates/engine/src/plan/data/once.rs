//! Rows that are used once: the number of calls or sessions after which none is left.

use crate::plan::rotation::Rotation;

/// The rows that are used once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Once {
    /// The request that uses them; `None`: each session uses one.
    pub request: Option<u32>,
    pub rows: u64,
    /// The file, for messages.
    pub file: String,
}

impl Once {
    /// The calls of the rotation, or the sessions, for which so many rows are enough.
    pub fn most(&self, rows: u64, rotation: &Rotation) -> u64 {
        let Some(request) = self.request else {
            return rows;
        };
        let places: Vec<usize> = (0..rotation.len())
            .filter(|&place| rotation.request(place) == request)
            .collect();
        let Some(turn) = rows.checked_rem(places.len() as u64) else {
            return u64::MAX;
        };
        let rounds = rows / places.len() as u64;
        rounds * rotation.len() as u64 + places[turn as usize] as u64
    }

    /// The fault of a run of so many calls, or sessions, which are too many.
    ///
    /// # Errors
    /// A message.
    pub fn check(&self, count: u64, rotation: &Rotation) -> Result<(), String> {
        let most = self.most(self.rows, rotation);
        if count <= most {
            return Ok(());
        }
        let counted = if self.request.is_some() {
            "calls"
        } else {
            "sessions"
        };
        let Self { file, rows, .. } = self;
        Err(format!(
            "`{file}` has {rows} rows, each of which is used once: expected at most {most} {counted}, not {count}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn once(request: Option<u32>, rows: u64) -> Once {
        let file = "users.csv".into();
        Once {
            request,
            rows,
            file,
        }
    }

    #[test]
    fn rows_last_until_the_next_call_of_their_request_lacks_one() {
        let encoded = [b"a".to_vec(), b"b".to_vec()];
        // 0 0 1 0, again and again.
        let rotation = Rotation::new(&encoded, &[3, 1], 1).unwrap();
        assert_eq!(
            (0..4)
                .map(|place| rotation.request(place))
                .collect::<Vec<_>>(),
            [0, 0, 1, 0]
        );
        for (request, rows, most) in [
            (0, 0, 0),
            (0, 2, 3),
            (0, 3, 4),
            (0, 7, 9),
            (1, 0, 2),
            (1, 2, 10),
        ] {
            assert_eq!(once(Some(request), rows).most(rows, &rotation), most);
        }
        assert_eq!(once(None, 5).most(5, &rotation), 5);
        assert_eq!(once(Some(0), 7).check(9, &rotation), Ok(()));
        assert_eq!(
            once(Some(0), 7).check(10, &rotation),
            Err("`users.csv` has 7 rows, each of which is used once: expected at most 9 calls, not 10".into())
        );
    }
}
