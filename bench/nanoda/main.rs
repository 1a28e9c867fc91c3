//! Checks an export with nanoda's library on one thread and prints the seconds, reading excluded, as JSON.
use nanoda_lib::util::Config;
use std::{path::Path, time::Instant};

fn main() {
    let path = std::env::args().nth(1).expect("nanoda's configuration file");
    let started = Instant::now();
    let config = Config::try_from(Path::new(&path)).expect("a configuration of nanoda");
    let (export, _) = config.to_export_file().expect("an export");
    let read = started.elapsed().as_secs_f64();
    export.check_all_declars(); // ends the process where it rejects
    let all = started.elapsed().as_secs_f64();
    println!("{{\"declarations\": {}, \"read_seconds\": {read}, \"check_seconds\": {}}}", export.declars.len(), all - read);
}
