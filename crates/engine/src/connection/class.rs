//! The error class of a driver's fault.

use driver::Fault;
use tally::ErrorClass;

/// The class in which calls end that met this fault.
pub fn class(fault: Fault) -> ErrorClass {
    match fault {
        Fault::Refused => ErrorClass::Refused,
        Fault::Reset => ErrorClass::Reset,
        Fault::TimedOut => ErrorClass::SocketTimeout,
        Fault::Unreachable => ErrorClass::Unreachable,
        Fault::Descriptors => ErrorClass::Descriptors,
        Fault::Addresses => ErrorClass::Addresses,
        Fault::FileTable => ErrorClass::FileTable,
        Fault::Tls => ErrorClass::Tls,
        Fault::Garbled => ErrorClass::Protocol,
        Fault::Other(_) => ErrorClass::Other,
    }
}
