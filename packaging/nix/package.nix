{
  lib,
  python3Packages,
  fetchPypi,
  rustPlatform,
  installShellFiles,
  versionCheckHook,
}:

python3Packages.buildPythonApplication rec {
  pname = "httpdyno";
  version = "@VERSION@";
  pyproject = true;

  src = fetchPypi {
    inherit pname version;
    hash = "@SRI@";
  };

  cargoDeps = rustPlatform.fetchCargoVendor {
    inherit pname version src;
    hash = lib.fakeHash; # the first build tells the real one
  };

  nativeBuildInputs = [
    installShellFiles
    rustPlatform.cargoSetupHook
    rustPlatform.maturinBuildHook
  ];

  dependencies = with python3Packages; [
    @DEPENDENCY@
  ];

  postInstall = ''
    for shell in bash fish zsh; do
      $out/bin/httpdyno completion $shell > httpdyno.$shell
    done
    installShellCompletion httpdyno.bash httpdyno.fish --zsh httpdyno.zsh
  '';

  nativeCheckInputs = [ versionCheckHook ];

  meta = {
    description = "Load generator and measuring lab for web servers";
    homepage = "https://github.com/httpdyno/httpdyno";
    license = with lib.licenses; [
      mit
      asl20
    ];
    mainProgram = "httpdyno";
    platforms = lib.platforms.linux;
  };
}
