//! The sum of two numbers on tonic: `server HOST:PORT`.

use tokio::signal::unix::{SignalKind, signal};
use tonic::transport::Server;
use tonic::{Request, Response, Status};

use crate::sum::reference_server::{Reference, ReferenceServer};
use crate::sum::{Numbers, Sum};

mod sum {
    tonic::include_proto!("httpdyno");
}

struct Service;

#[tonic::async_trait]
impl Reference for Service {
    async fn get_sum(&self, request: Request<Numbers>) -> Result<Response<Sum>, Status> {
        let Numbers { a, b } = request.into_inner();
        let sum = a.wrapping_add(b);
        Ok(Response::new(Sum { sum }))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).ok_or("expected: server HOST:PORT")?;
    let mut terminate = signal(SignalKind::terminate())?;
    Server::builder()
        .add_service(ReferenceServer::new(Service))
        .serve_with_shutdown(address.parse()?, async move {
            terminate.recv().await;
        })
        .await?;
    Ok(())
}
