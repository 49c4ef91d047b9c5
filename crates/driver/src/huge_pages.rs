//! Huge pages for memory that is read at random places.
//!
//! The processor finds only the newest few thousand pages without a walk through its page tables. A data file of a
//! million rows has more of 4 KiB, and a few dozen of 2 MiB. Source: the kernel's `Documentation/admin-guide/mm/transhuge.rst`,
//! and madvise(2).

/// The size of a huge page, 2 MiB.
const HUGE: usize = 2 << 20;
/// Makes huge pages of memory that is in use already (Linux 6.1); libc has it only beside glibc.
const MADV_COLLAPSE: libc::c_int = 25;

/// Asks the kernel to hold the whole huge pages within this memory in huge pages, from now on. Returns false if it has
/// too little for one, or if the kernel refuses, which changes nothing.
pub fn use_huge_pages<T>(memory: &[T]) -> bool {
    let start = memory.as_ptr().cast::<u8>();
    let first = start.align_offset(HUGE);
    let length = size_of_val(memory).saturating_sub(first) / HUGE * HUGE;
    if length == 0 || cfg!(miri) {
        return false;
    }
    let advise = |advice| {
        // SAFETY: the pages lie within the memory, which lives at least as long as this call. Neither advice changes what
        // is in it, only how the kernel maps it.
        unsafe { libc::madvise(start.add(first).cast_mut().cast(), length, advice) == 0 }
    };
    advise(libc::MADV_HUGEPAGE) && advise(MADV_COLLAPSE)
}

#[cfg(test)]
mod tests {
    use std::fs::read_to_string;

    use super::{HUGE, use_huge_pages};

    /// The bytes of huge pages of this process that lie between two addresses.
    fn huge_bytes(from: usize, to: usize) -> usize {
        let maps = read_to_string("/proc/self/smaps").unwrap();
        let (mut inside, mut found) = (false, 0);
        for line in maps.lines() {
            let range = line.split(' ').next().and_then(|word| word.split_once('-'));
            let ends = range.and_then(|(low, high)| {
                let end = |text| usize::from_str_radix(text, 16).ok();
                Some((end(low)?, end(high)?))
            });
            if let Some((low, high)) = ends {
                inside = low < to && from < high;
            } else if let Some(kib) = line.strip_prefix("AnonHugePages:").filter(|_| inside) {
                let kib = kib.trim().trim_end_matches(" kB");
                found += kib.parse::<usize>().unwrap() * 1024;
            }
        }
        found
    }

    #[test]
    fn memory_is_the_same_in_huge_pages_where_the_kernel_grants_them() {
        let mut memory: Vec<u8> = (0..5 * HUGE).map(|at| (at % 251) as u8).collect();
        memory.push(7);
        let granted = use_huge_pages(&memory);
        assert!((0..5 * HUGE).all(|at| memory[at] == (at % 251) as u8));
        if granted {
            let from = memory.as_ptr() as usize;
            assert!(huge_bytes(from, from + memory.len()) >= 4 * HUGE);
        }
    }

    #[test]
    fn little_memory_is_left_alone() {
        assert!(!use_huge_pages::<u8>(&[]));
        assert!(!use_huge_pages(&[1_u32; 1000]));
    }
}
