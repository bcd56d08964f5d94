"""Numbers read from texts, and named as a question asks for them."""

from tutor.xray.model.counts import of_stages, of_text
from tutor.xray.model.counts.wrapper import count_buffers
from tutor.xray.model.stages import Stage
from tutor.xray.triton_kernels.layouts import layout_notes

PTX = """
.visible .entry k(
	.param .u64 k_param_0
)
{
	.reg .b32 	%r<9>;
// %bb.0:
	mov.u32 	%r1, %tid.x;
	// begin inline asm
	@%p1 ld.global.L1::evict_last.v2.b64 { %rd1, %rd2 }, [ %rd4 + 0 ];
	@!%p1 mov.u64 %rd1, 0; @%p2 ld.global.b16 { %rs1 }, [ %rd5 + 0 ];
	// end inline asm
	cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 { %r1 }, { %r2 }, { %r3 }, { %r4 };
	bar.sync 	0;
	@%p1 st.global.v4.b32 [ %rd6 + 0 ], { %r1, %r2, %r3, %r4 };
$L__BB0_1:
	ret;
}
"""
SASS = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 LDG.E.64.CONSTANT R2, desc[UR4][R2.64] ;
        /*0020*/                   LDG.E.U16 R3, desc[UR4][R2.64] ;
        /*0030*/                   HFMA2.MMA R6, -RZ, RZ, 0, 0 ;
        /*0040*/                   HMMA.16816.F32 R4, R8, R12, R4 ;
        /*0050*/                   STL [R1+0x4], R5 ;
        /*0060*/                   LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64] ;
        /*0070*/              @!P0 STG.E.128 desc[UR4][R2.64], R8 ;
        /*0080*/         @!UP0 UTCHMMA gdesc[UR8], gdesc[UR10], tmem[UR12] ;
.L_x_0:
        /*0090*/                   BRA `(.L_x_0);
"""


def test_ptx() -> None:
    assert dict(of_text("ptx", PTX)) == {
        "instructions": 10,
        "global_loads": 2,
        "global_stores": 1,
        "atomics": 0,
        "load_bits": 128,
        "store_bits": 128,
        "shared_loads": 1,
        "shared_stores": 0,
        "async_copies": 1,
        "async_stores": 0,
        "barriers": 1,
        "tensor_core": 1,
    }


def test_sass() -> None:
    assert dict(of_text("sass", SASS)) == {
        "instructions": 10,
        "global_loads": 2,
        "global_stores": 1,
        "atomics": 0,
        "load_bits": 64,
        "store_bits": 128,
        "async_copies": 1,
        "async_stores": 0,
        "barriers": 0,
        "tensor_core": 2,
        "local_loads": 0,
        "local_stores": 1,
    }


def test_tensor_copies_to_and_from_shared_memory() -> None:
    ptx = """
	@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [ %r1 ], [ %rd1 ];
	@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [ %rd2, {%r2, %r3} ], [ %r5 ];
"""
    found = dict(of_text("ptx", ptx))
    assert (found["async_copies"], found["async_stores"]) == (1, 1)
    sass = """
        /*0000*/              @P0 UTMALDG.2D [UR8], [UR4] ;
        /*0010*/                   UTMASTG.2D [UR12], [UR4] ;
"""
    found = dict(of_text("sass", sass))
    assert (found["async_copies"], found["async_stores"]) == (1, 1)


def test_a_text_that_nothing_is_counted_in() -> None:
    assert of_text("llir", "anything") == ()


def test_counts_of_several_kernels() -> None:
    def stage(name: str, kernel: str, **found: int) -> Stage:
        return Stage(name, "", "text", "", kernel=kernel, counts=tuple(found.items()))

    found = of_stages(
        [
            stage("forward", "", saved_tensors=3),
            stage("dynamo", "graph2", operations=5),
            stage("ptx", "a", global_loads=2, load_bits=128),
            stage("sass", "a", global_loads=2, registers=20),
            stage("ptx", "b", global_loads=4, load_bits=32),
            stage("sass", "b", global_loads=8, registers=16),
        ]
    )
    assert found["ptx.global_loads"] == 6
    assert found["global_loads"] == found["sass.global_loads"] == 10
    assert (found["registers"], found["load_bits"]) == (20, 128)
    assert (found["kernels"], found["saved_tensors"]) == (2, 3)


def test_layouts() -> None:
    text = (
        "#blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], "
        "warpsPerCTA = [4, 1], order = [1, 0]}>\n"
        "#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], "
        "order = [0]}>\n"
        "#smem = #ttg.shared_memory\n"
        "module {\n"
    )
    assert layout_notes(text) == [
        "#blocked: a thread holds 1×4 elements side by side, a warp is 2×16 threads, a block 4×1 "
        "warps; dimension 1 runs fastest.",
        "#line: a thread holds 1 element side by side, a warp is 32 threads, a block 1 warp; "
        "dimension 0 runs fastest.",
        "#smem: the memory space of a block's shared memory.",
    ]


def test_rows_gathered_by_a_descriptor_are_loads_and_stores() -> None:
    ttir = "%1 = tt.descriptor_gather %d[%r, %c]\ntt.descriptor_scatter %d[%r, %c], %1\n"
    counts = dict(of_text("ttir", ttir))
    assert (counts["loads"], counts["stores"], counts["atomics"]) == (1, 1, 0)


def test_atomic_operations_are_counted_apart_from_loads_and_stores() -> None:
    ttir = "%1 = tt.atomic_rmw fadd, acq_rel\n%2 = tt.atomic_cas acq_rel\n"
    assert dict(of_text("ttir", ttir))["atomics"] == 2
    ptx = (
        "\t@%p1 atom.global.gpu.acq_rel.add.f32 %r1, [ %rd1 + 0 ], %r2;\n"
        "\tred.shared.add.u32 [%r1], 1;\n"
    )
    assert dict(of_text("ptx", ptx))["atomics"] == 1
    sass = """
        /*0700*/                   ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, RZ, desc[UR6][R16.64], R24 ;
        /*0710*/              @!P0 REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R5 ;
        /*0720*/                   ATOMS.ADD RZ, [R4], R6 ;
        /*0730*/                   REDUX.SUM UR5, R3 ;
"""
    counts = dict(of_text("sass", sass))
    assert (counts["atomics"], counts["global_stores"]) == (2, 0)
    amd = (
        "\tbuffer_atomic_add_f32 v4, v0, s[0:3], 0 offen\n"
        "\tglobal_atomic_cmpswap v1, v2, v[3:4], s[0:1]\n"
    )
    assert dict(of_text("amdgcn", amd))["atomics"] == 2


WRAPPER = """\
    def call(self, args):
        buf0 = empty_strided_cuda((4, 8), (8, 1), torch.float32)
        extern_kernels.mm(arg0_1, arg1_1, out=buf0)
        buf1 = empty_strided_cuda((1, 3, 16, 16), (768, 1, 48, 3), torch.bfloat16)
        buf2 = reinterpret_tensor(buf0, (32, ), (1, ), 0); del buf0  # reuse
        buf3 = buf2; del buf2  # reuse
        workspace_0 = empty_strided_cuda((16, ), (1, ), torch.uint8)
        return (reinterpret_tensor(buf3, (4, 8), (8, 1), 0), s0, )
"""


def test_blocks_of_memory_of_a_wrapper() -> None:
    """A result's is none, under whatever name it was asked for."""
    assert count_buffers(WRAPPER) == {"buffers": 2, "bytes": 2 * 768 + 16}
    assert count_buffers(WRAPPER.replace("16, 16", "s0, 16")) == {"buffers": 2}
