# gnuplot host.mem.latency-2.gp draws host.mem.latency-2.svg and host.mem.latency-2.png from host.mem.latency-2.dat (gnuplot 5.4 or newer)
set encoding utf8
if (!exists('out')) out = 'host.mem.latency-2'
data = './host.mem.latency-2.dat'
set border 3 linewidth 1 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '#E4E4E4'
set key top left reverse Left opaque noenhanced font ',12' samplen 2
set title 'host.mem.latency on host (AMD EPYC 7763 64-Core Processor)' noenhanced textcolor rgb '#222222'
set logscale x 2
set xtics ('16 KiB' 16384, '64 KiB' 65536, '256 KiB' 262144, '1 MiB' 1048576, '4 MiB' 4194304, '16 MiB' 16777216, '64 MiB' 67108864, '256 MiB' 268435456)
set xrange [16383.999983616:536870912.53687096]
set logscale y 10
set ytics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000)
set yrange [0.99999999900000003:1000.0000010000001]
set xlabel 'ring_bytes' noenhanced
set ylabel 'ns' noenhanced
set arrow 1 from graph 0, first 1.3100000000000001 to graph 1, first 1.3100000000000001 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 1 'plateau.l1 1.310 ns' at graph 1.012, first 1.3100000000000001 left noenhanced textcolor rgb '#444444' font ',12'
set arrow 2 from graph 0, first 4.4199999999999999 to graph 1, first 4.4199999999999999 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 2 'plateau.l2 4.420 ns' at graph 1.012, first 4.4199999999999999 left noenhanced textcolor rgb '#444444' font ',12'
set arrow 3 from graph 0, first 14.6 to graph 1, first 14.6 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 3 'plateau.l3 14.60 ns' at graph 1.012, first 14.600000000000001 left noenhanced textcolor rgb '#444444' font ',12'
set arrow 4 from graph 0, first 91.799999999999997 to graph 1, first 91.799999999999997 nohead linewidth 1 dashtype 2 linecolor rgb '#888888' back
set label 4 'plateau.dram 91.80 ns' at graph 1.012, first 91.800000000000011 left noenhanced textcolor rgb '#444444' font ',12'
set rmargin 24
set terminal unknown
plot \
    data index 0 using 1:2:3:4 with yerrorbars linewidth 1 pointtype -1 linecolor rgb '#0072B2' notitle, \
    data index 0 using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 0.6 linecolor rgb '#0072B2' title 'node 0, pages small' noenhanced, \
    data index 1 using 1:2:3:4 with yerrorbars linewidth 1 pointtype -1 linecolor rgb '#D55E00' notitle, \
    data index 1 using 1:2 with linespoints linewidth 2 pointtype 7 pointsize 0.6 linecolor rgb '#D55E00' title 'node 0, pages huge' noenhanced
set terminal svg size 960,540 dynamic mouse standalone noenhanced font 'Helvetica,14' background '#FFFFFF'
set output out.'.svg'
replot
unset output
if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {
    set terminal pngcairo size 1440,810 noenhanced font 'Sans,16' background '#FFFFFF'
} else {
    set terminal png size 1440,810 noenhanced
}
set output out.'.png'
replot
unset output
