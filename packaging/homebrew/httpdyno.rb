class Httpdyno < Formula
  include Language::Python::Virtualenv

  desc "Load generator and measuring lab for web servers"
  homepage "https://github.com/httpdyno/httpdyno"
  url "https://files.pythonhosted.org/packages/source/h/httpdyno/httpdyno-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "maturin" => :build
  depends_on "rust" => :build
  depends_on :linux
  depends_on "python@3.13"

  # The resources are those of: brew update-python-resources httpdyno

  def install
    virtualenv_install_with_resources
    generate_completions_from_executable(bin/"httpdyno", "completion")
  end

  test do
    port = free_port
    pid = spawn bin/"httpdyno", "reference", "--listen", "127.0.0.1:#{port}"
    sleep 2
    url = "http://127.0.0.1:#{port}/pong"
    assert_match "none failed", shell_output("#{bin}/httpdyno load #{url} --duration 1s")
  ensure
    Process.kill "TERM", pid
  end
end
