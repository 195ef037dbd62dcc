// SPDX-License-Identifier: Apache-2.0
//
// crossbeam-queue's bounded queue behind the functions of peers.hpp. Its push is inlined into the
// loop, as it would be in a Rust program.
use crossbeam_queue::ArrayQueue;

#[derive(Clone, Copy)]
#[repr(C)]
pub struct Record {
    words: [u64; 14],
}

pub type Queue = ArrayQueue<Record>;

#[no_mangle]
pub extern "C" fn peer_crossbeam_new(slots: usize) -> *mut Queue {
    Box::into_raw(Box::new(ArrayQueue::new(slots)))
}

/// # Safety
/// `queue` is from peer_crossbeam_new and not used afterwards.
#[no_mangle]
pub unsafe extern "C" fn peer_crossbeam_free(queue: *mut Queue) {
    drop(Box::from_raw(queue));
}

/// Pushes `count` records; returns how many older ones they displaced.
///
/// # Safety
/// `queue` is from peer_crossbeam_new.
#[no_mangle]
pub unsafe extern "C" fn peer_crossbeam_push(queue: *const Queue, first: u64, count: u64) -> u64 {
    let queue = &*queue;
    let mut displaced = 0;
    for i in first..first + count {
        let record = Record { words: [i, 1, 2, 3, 4, 5, i, 7, 8, 9, 10, 11, 12, 13] };
        displaced += u64::from(queue.force_push(record).is_some());
    }
    displaced
}

/// Pops at most `limit` records into `out`, which has room for them; returns how many.
///
/// # Safety
/// `queue` is from peer_crossbeam_new.
#[no_mangle]
pub unsafe extern "C" fn peer_crossbeam_pop(queue: *const Queue, out: *mut Record, limit: u64) -> u64 {
    for i in 0..limit {
        match (*queue).pop() {
            Some(record) => *out.add(i as usize) = record,
            None => return i,
        }
    }
    limit
}
