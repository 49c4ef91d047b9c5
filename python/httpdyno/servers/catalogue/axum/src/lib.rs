//! The start and the stop of each program, and the rows of those with a database.

pub mod rows;

use std::fmt::Display;

use axum::Router;
use axum::http::StatusCode;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

async fn terminated() {
    let mut terminate = signal(SignalKind::terminate()).expect("a handler for SIGTERM");
    terminate.recv().await;
}

/// Serves until SIGTERM.
pub async fn serve(address: &str, nodelay: bool, application: Router) -> std::io::Result<()> {
    let listener = TcpListener::bind(address).await?.tap_io(move |stream| {
        let _ = stream.set_nodelay(nodelay);
    });
    axum::serve(listener, application)
        .with_graceful_shutdown(terminated())
        .await
}

/// The reply to a request whose work failed.
pub fn failed(error: impl Display) -> (StatusCode, String) {
    (StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
