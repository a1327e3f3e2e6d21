"""Spack recipe. The archive is that of `git archive --prefix=topogemm-0.1.0/ -o topogemm-0.1.0.tar.gz HEAD`, in the folder where
Spack is called. Copy this file to packages/topogemm/package.py of a Spack repository, then `spack install --no-checksum
topogemm`."""
import os

from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Topogemm(MesonPackage):
    """Parallel matrix multiplication as schedules: proved, stepped on real data, drawn, predicted, and run on CPU cores, MPI
    ranks, GPUs and matrices on disk."""

    url = f"file://{os.getcwd()}/topogemm-0.1.0.tar.gz"
    manual_download = True

    license("MIT")

    version("0.1.0")

    variant("cuda", default=False, description="Kernels and executors for NVIDIA GPUs")
    variant("mpi", default=False, description="Run schedules on MPI ranks")
    variant("disk", default=True, description="Multiply matrices in files, larger than memory")

    depends_on("c", type="build")
    depends_on("meson@1:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("glib@2.72:")
    depends_on("graphviz+pangocairo+expat")
    depends_on("fontconfig")
    depends_on("openblas")  # loaded at run time
    depends_on("imagemagick", type="run")
    depends_on("xxhash", when="+disk")
    depends_on("liburing", when="+disk platform=linux")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.5:", when="+cuda")

    def meson_args(self):
        switches = [("cuda", "+cuda"), ("mpi", "+mpi"), ("disk", "+disk"), ("io_uring", "+disk platform=linux")]
        on = [f"-D{option}={'enabled' if self.spec.satisfies(when) else 'disabled'}" for option, when in switches]
        return on + ["-Dtests=disabled", "-Dpython=disabled", "-Dpage=false"]
